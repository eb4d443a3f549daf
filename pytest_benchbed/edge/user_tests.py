"""A user's own test functions over the cases of a benchmark: mark and fixture.

``@pytest.mark.bench_cases("NAME")`` runs a function once for each selected
case; the fixture ``bench_case`` holds the case, the prediction and its score.
These are ordinary tests: their outcomes are pytest's, and neither ledger nor
gate sees them. The question is the one that the case's own item asks, so a case
that is both is paid once.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from typing import Any

import pytest

from pytest_benchbed.edge import activation

if TYPE_CHECKING:
    from pytest_benchbed.data.dataset import CaseEntry
    from pytest_benchbed.edge.plan import Plan

MARK = "bench_cases"
FIXTURE = "bench_case"


@dataclass(frozen=True)
class BenchCase:
    """What a user's test gets of one case."""

    id: str
    inputs: Mapping[str, Any]
    prediction: Any
    """The system's, checked by the type; None where the system declined."""
    errors: Mapping[str, list[dict[str, Any]]]
    """By profile, as in ``results.jsonl``; a declined case has the type's error for that."""
    metrics: Mapping[str, dict[str, Any]]
    """By profile and name; a pair is ``[numerator, denominator]``."""


@dataclass(frozen=True, eq=False, repr=False)
class Wanted:
    """The parameter of one such test: a case of a benchmark of this session."""

    plan: Plan
    entry: CaseEntry

    def __repr__(self) -> str:
        """Return what ``--setup-show`` prints."""
        return f"{self.plan.name}/{self.entry.id}"


def parametrize(metafunc: pytest.Metafunc, mark: pytest.Mark) -> None:
    """Make one test of each selected case, in file order; one skipped test without them.

    Raises:
        pytest.Collector.CollectError: a mark that cannot be meant. An unknown
            benchmark also ends the session as a usage error.
    """
    where = metafunc.definition.nodeid
    if len(mark.args) != 1 or mark.kwargs or not isinstance(mark.args[0], str):
        raise pytest.Collector.CollectError(
            f'{where}: the mark takes one benchmark: @pytest.mark.{MARK}("NAME").'
        )
    if FIXTURE not in metafunc.fixturenames:
        raise pytest.Collector.CollectError(
            f"{where}: a test marked {MARK} must use the fixture {FIXTURE}."
        )
    name = mark.args[0]
    plan = _plan(metafunc.config, name, where)
    if plan is None:
        # A bare pytest spends nothing: calls are made only where a benchmark is asked for.
        reason = f"benchmark {name!r} is not run in this session: add --bench={name}"
        absent = pytest.param(None, id=name, marks=pytest.mark.skip(reason=reason))
        metafunc.parametrize(FIXTURE, [absent], indirect=True)
        return
    entries = plan.selected()
    metafunc.parametrize(
        FIXTURE,
        [Wanted(plan, entry) for entry in entries],
        ids=[entry.id for entry in entries],
        indirect=True,
    )


def _plan(config: pytest.Config, name: str, where: str) -> Plan | None:
    """Return the plan of a benchmark, or None if this session does not run it."""
    if not activation.is_wanted(config):
        return None
    from pytest_benchbed.edge.session import SESSION
    from pytest_benchbed.model.names import unknown_name

    session = config.stash[SESSION]
    plan = next((plan for plan in session.plans if plan.name == name), None)
    known = session.registries.benchmarks.names()
    if plan is None and name not in known:
        problem = f"{where}: {unknown_name('benchmark', name, known, 'pytest --bench-list')}"
        session.usage_problem = session.usage_problem or problem
        raise pytest.Collector.CollectError(problem)
    return plan


def wanted_cases(items: Iterable[pytest.Item]) -> dict[str, list[str]]:
    """Return the cases that user tests among ``items`` will ask for, by benchmark."""
    found: dict[str, dict[str, None]] = {}
    for item in items:
        callspec = getattr(item, "callspec", None)
        wanted = callspec.params.get(FIXTURE) if callspec is not None else None
        if isinstance(wanted, Wanted):
            found.setdefault(wanted.plan.name, {})[wanted.entry.id] = None
    return {name: list(cases) for name, cases in found.items()}


def ask(request: pytest.FixtureRequest) -> BenchCase | None:
    """Return the case of a test with its prediction and score; waits for the system.

    A technical failure is an error of the fixture, a case that the adapter does
    not support skips the test. None in a session that only looks.
    """
    wanted = getattr(request, "param", None)
    if not isinstance(wanted, Wanted):
        pytest.fail(
            f'the fixture {FIXTURE} needs the mark @pytest.mark.{MARK}("NAME") on the test.',
            pytrace=False,
        )
    if activation.is_dry(request.config):
        return None
    from pytest_benchbed.edge.commands import rerun_command
    from pytest_benchbed.edge.session import SESSION
    from pytest_benchbed.model.escape import term

    plan, entry = wanted.plan, wanted.entry
    asker = request.config.stash[SESSION].asker
    assert asker is not None, "the session starts the broker before the first item"
    answer = plan.scorer.checked(asker.predict(plan.name, wanted.entry.id, 1))
    if answer["state"] == "not-run":
        pytest.skip("benchbed: not scored, the session was stopped")
    row = plan.scorer.evaluate(entry, [answer]).row
    if row["state"] == "technical":
        pytest.fail(
            f"benchbed: no score for {entry.id}: {term(row['reason'] or '', 300)}\n"
            f"  the case alone: {rerun_command(request.config, plan, entry.id)}",
            pytrace=False,
        )
    if row["state"] == "skipped":
        pytest.skip(term(row["reason"] or "not supported by the adapter"))
    return BenchCase(
        id=entry.id,
        inputs=plan.dataset.known_row(entry.id)["inputs"],
        prediction=answer.get("prediction"),
        errors=row["errors"],
        metrics=row["metrics"],
    )
