"""How a run came about: which system, which data, where, when, and at what cost."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.difference import compact
from pytest_benchbed.report.facts import Fact
from pytest_benchbed.report.facts import isolation_text
from pytest_benchbed.report.facts import spend_text
from pytest_benchbed.report.numbers import count
from pytest_benchbed.report.numbers import moment
from pytest_benchbed.report.numbers import seconds
from pytest_benchbed.report.numbers import span


def identity(record: RunRecord) -> Iterator[Fact]:
    """Yield what stands below the verdict."""
    dataset, adapter = record.dataset, record.adapter
    yield Fact("Run", record.id)
    yield Fact("Dataset", f"{dataset.id} {dataset.version} ({dataset.identity[:12]})")
    name = " ".join(part for part in (adapter.name, adapter.version) if part)
    yield Fact("System", f"{name}, model {adapter.model}" if adapter.model else name)
    yield Fact("Baseline", record.baseline.id if record.baseline else "none")
    if record.controls:
        yield Fact("Controls", ", ".join(control.id for control in record.controls))
    yield Fact("Made", moment(record.started_at))


def how_it_was_run(record: RunRecord) -> Iterator[Fact]:
    """Yield the full account, for whoever wants to repeat the run."""
    dataset, adapter, executor = record.dataset, record.adapter, record.executor
    took = span(record.started_at, record.finished_at)
    yield Fact(
        "Time",
        f"{moment(record.started_at)}{f', took {seconds(took)}' if took is not None else ''}",
    )
    yield Fact("Benchmark", f"{record.benchmark.id}, scored by {record.benchmark.scoring_version}")
    yield Fact("Dataset", f"{dataset.id} {dataset.version}, {dataset.visibility}")
    yield Fact("Dataset identity", dataset.identity)
    yield Fact("Adapter", f"{adapter.kind} {adapter.name} {adapter.version}".rstrip())
    if adapter.options:
        yield Fact("Adapter options", compact(adapter.options))
    if adapter.model:
        yield Fact("Model", adapter.model)
    if adapter.settings:
        yield Fact("Settings", ", ".join(adapter.settings))
    yield Fact("Code of the adapter", adapter.code_sha256)
    if adapter.source is not None:
        source = adapter.source
        branch = f" on {source.branch}" if source.branch else ""
        changed = ", with changes that are in no commit" if source.dirty else ""
        yield Fact("Working copy", f"{source.commit[:12]}{branch}{changed}")
    yield Fact("System identity", adapter.identity)
    yield Fact("Isolation", isolation_text(record))
    for name, title in (("allow", "Left open"), ("reads", "Further readable paths")):
        if record.isolation.get(name):
            yield Fact(title, compact(record.isolation[name]))
    for mechanism, reason in (record.isolation.get("unavailable") or {}).items():
        yield Fact(f"No {mechanism}", str(reason))
    allowed = f" of {executor.jobs} allowed" if executor.slots < executor.jobs else ""
    yield Fact("Executor", f"{executor.name}, {count(executor.slots, 'call')} at once{allowed}")
    if record.repeats > 1:
        yield Fact("Attempts", f"{record.repeats} of each case; the first one decides")
    yield Fact("Spend", spend_text(record))
    if record.scope:
        yield Fact("Scope", "; ".join(f"{key} {', '.join(values)}"
                                      for key, values in sorted(record.scope.items())))  # fmt: skip
    if record.note:
        yield Fact("Note", record.note)
    yield Fact(
        "Versions",
        ", ".join(f"{name} {text}" for name, text in sorted(record.versions.items())),
    )
    for entry in record.history:
        yield Fact(f"Changed {moment(entry.at)}", entry.what)
