"""What the session header says before anything runs."""

from __future__ import annotations

from pytest_benchbed.edge.activation import is_dry
from pytest_benchbed.edge.commands import full_command
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.refused import is_worker
from pytest_benchbed.edge.session import BenchSession
from pytest_benchbed.model.escape import term


def header_lines(session: BenchSession) -> list[str]:
    """Return a few lines per benchmark; a dry session also prints what it stands for."""
    config = session.config
    if is_worker(config):
        return []
    lines = []
    for plan in session.plans:
        dataset = plan.dataset
        lines.append(
            f"benchbed: {plan.name} · dataset {dataset.id} {term(dataset.version, 40)} "
            f"({dataset.identity[:12]}) · {len(dataset)} cases · adapter {term(plan.spec.name, 60)}"
        )
        against = "no baseline"
        if plan.baseline is not None:
            controls = f", {len(plan.controls)} controls" if plan.controls else ""
            against = f"baseline {plan.baseline.id}{controls}"
        elif plan.unpaired:
            against = "unpaired"
        else:
            against += " (first run: --bench-unpaired, then benchbed promote RUN)"
        lines.append(
            f"benchbed: {against} · gate {term(plan.profile)} · isolation {plan.isolation}"
        )
        lines += [f"benchbed: {term(notice, 300)}" for notice in plan.notices]
        if is_dry(config):
            lines.append(f"benchbed: stands for: {full_command(config, plan)}")
    if is_dry(config):
        lines.append("benchbed: nothing is started, written or spent")
    return lines


def calls_line(plan: Plan, at_once: int, *, jobs: int, executor: str, slots: int) -> str:
    """Return how many calls of a run are made at once, and who allows no more.

    The adapter's word is known only when it says hello, so this is no line of
    the header: it is printed when the calls begin.

    Args:
        plan: of the run.
        at_once: calls at once, 1 or more.
        jobs: how many the session allows.
        executor: its name.
        slots: how many it can carry.
    """
    asked = plan.settings.jobs
    number = f"{at_once}, not {asked}" if asked and at_once < asked else f"{at_once}"
    if at_once == jobs:
        limit = "see --bench-jobs"
    elif at_once == slots:
        limit = f"executor {term(executor, 60)} carries no more"
    else:
        limit = "the adapter takes no more, see its max_concurrency"
        limit += " (1 unless it says otherwise)" if asked and at_once == 1 else ""
    rate = plan.settings.rate
    begun = f" · no more than {rate} begun: rate in the bench file" if rate else ""
    return f"benchbed: {plan.name} · calls at once {number}: {limit}{begun}"
