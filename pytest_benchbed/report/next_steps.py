"""What to type next: one or a few commands for each status of a run.

Every command works when it is pasted where the run was started. Where the
command cannot be known from the run's files (the code of a baseline that is
not at hand), words say what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_benchbed.compare.exit import NOT_SUPPORTED
from pytest_benchbed.compare.ruling import OUT_OF_BUDGET
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.model.run import LASTING
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.command import case_command
from pytest_benchbed.report.command import resume_command
from pytest_benchbed.report.command import shell_word
from pytest_benchbed.report.command import typed_options
from pytest_benchbed.report.command import whole_command
from pytest_benchbed.report.view import RunView

BUDGET = "budget_exhausted"
"""Kind of the technical failures of cases that were not asked for want of money."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do; ``command`` empty: there is none to paste."""

    text: str
    command: str = ""


def next_steps(view: RunView) -> list[Step]:
    """Return what to do next, the most useful first; never empty for a run with a verdict."""
    steps = {
        "passed": _passed,
        "failed": _failed,
        "baseline required": _baseline_required,
        "incomplete": _incomplete,
        "unavailable": _unavailable,
        "blocked": _blocked,
    }[view.status]
    return list(steps(view))


def control_command(view: RunView) -> str:
    """Return the command that records a control of this run's baseline; empty if unknown.

    A control repeats the *baseline's* code and options, so the baseline's record
    is needed, unless this run is of the same system.
    """
    record = view.record
    if record.baseline is None:
        return control_of(record, len(record.controls))
    if view.baseline is not None:
        return control_of(view.baseline, len(record.controls))
    if record.baseline.identity == record.adapter.identity:
        return whole_command(record, is_unpaired=True)
    return ""


def control_of(record: RunRecord, known: int) -> str:
    """Return the command that repeats a run as a control; ``known``: how many there are."""
    return whole_command(record, is_unpaired=True, run_id=_control_id(record, known))


def _control_id(record: RunRecord, known: int) -> str | None:
    """Return an id for a control; None for a run of a set, whose id is a path."""
    name = f"{record.id}-control-{known + 1}"
    return name if is_case_id(name) else None


def _passed(view: RunView) -> Iterator[Step]:
    yield Step(
        "Nothing to repair. Compare the next change with the same baseline:",
        whole_command(view.record),
    )
    if view.counts["better"]:
        yield Step(
            "This run is better than its baseline. To hold on to that, make it the baseline "
            "from now on:",
            promote_command(view) or whole_command(view.record, baseline=view.shown),
        )
    yield from _noise(view)


def _failed(view: RunView) -> Iterator[Step]:
    case = first_bad_case(view)
    if case is not None:
        yield Step(
            f"Run the first of them again, {case}, while you repair it:",
            case_command(view.record, case),
        )
    yield Step(
        "See what was expected and what was got, case by case, in the report: "
        f"{view.shown}/report.html"
    )
    yield Step("When it is repaired, run all cases again:", whole_command(view.record))
    yield from _noise(view)


def first_bad_case(view: RunView) -> str | None:
    """Return the case to look at first: a suspect, a target, or the first that got worse."""
    named = []
    suspects = view.gate.suspects if view.gate is not None else []
    if view.gate is not None:
        named += [one.case for one in suspects if one.outcome != "wobbled"]
        named += [target.case for target in view.gate.targets if target.errors]
    named += [line.id for line in view.in_bucket("worse")]
    # Right when it was asked again: only where there is nothing else.
    named += [one.case for one in suspects]
    return named[0] if named else None


def _is_unfinished(record: RunRecord) -> bool:
    return bool(record.holes) and record.status != "completed"


def _resume(record: RunRecord) -> Step:
    return Step(
        "The run was interrupted. Go on where it stopped; what was answered is not asked again:",
        resume_command(record),
    )


def _baseline_required(view: RunView) -> Iterator[Step]:
    record = view.record
    if _is_unfinished(record):
        yield _resume(record)
        return
    if record.partial:
        yield Step(
            "This run left cases out, so it is a poor baseline. Record a run of all cases first:",
            whole_command(record, is_unpaired=True),
        )
        return
    promote = promote_command(view)
    if promote:
        yield Step("Make this run the baseline that later runs are compared with:", promote)
    yield Step(
        "Or compare the next change with it once:"
        if promote
        else "Make your change, then compare with this run:",
        whole_command(record, baseline=view.shown),
    )
    control = _control_id(record, 0)
    if control is None or record.adapter.deterministic:
        return
    yield Step(
        "To learn how much the same system differs from itself, record a control run before "
        "the change:",
        control_of(record, 0),
    )
    beside = f"{view.shown.removesuffix(record.id)}{control}"
    if promote:
        yield Step("and promote both:", f"{promote} --control={shell_word(beside)}")
        return
    yield Step(
        "and name both from then on:",
        whole_command(record, baseline=view.shown, controls=[beside]),
    )


def promote_command(view: RunView) -> str:
    """Return the command that promotes the run; empty if a session would not find it again."""
    record = view.record
    if any(option.name == "--bench-runs-dir" for option in typed_options(record.argv)):
        # A promoted run is looked for in the runs directory of the settings.
        return ""
    return f"benchbed promote {shell_word(view.shown)}"


def _incomplete(view: RunView) -> Iterator[Step]:
    record, gate = view.record, view.gate
    worse = view.in_bucket("worse")
    if worse:
        yield Step(
            f"Some cases got worse already. The first again, {worse[0].id}:",
            case_command(record, worse[0].id),
        )
    if _is_unfinished(record):
        yield _resume(record)
        return
    if gate is not None and (gate.coverage.not_in_baseline or gate.coverage.removed):
        yield Step(
            "The baseline covers other cases than this run. Record a baseline of all cases, "
            "with the old code:",
            whole_command(view.baseline or record, is_unpaired=True),
        )
    if gate is not None and gate.coverage.support_lost:
        yield Step(
            "The system skipped cases that the baseline answered. Make it support them again, or "
            "take them out of the dataset with a reason (retired)."
        )
    if gate is not None and gate.coverage.unverifiable:
        yield Step(
            "Cases of this run and of the baseline differ in their inputs, files or answers. "
            "Record a baseline on the present dataset, with the old code:",
            whole_command(view.baseline or record, is_unpaired=True),
        )
    if gate is not None and gate.reason.startswith(OUT_OF_BUDGET):
        yield Step(
            "Ask the suspects again, adding --bench-budget with a higher limit (it counts what is "
            "spent already):",
            resume_command(record, is_over_budget=True),
        )
        return
    yield Step("Run all cases:", whole_command(record))


def _unavailable(view: RunView) -> Iterator[Step]:
    if view.reason == NOT_SUPPORTED:
        yield Step(
            "The system says that it does not do this benchmark (Adapter.supports). If it "
            "should, change that and run again:",
            whole_command(view.record),
        )
        return
    yield Step(
        "The scores of the benchmark type cannot tell right from wrong here; repair the type "
        "(its errors, or a tolerance), then run again:",
        whole_command(view.record),
    )


def _blocked(view: RunView) -> Iterator[Step]:
    record = view.record
    if record.status == "void" or record.dataset.canary == "found":
        yield Step(
            "The token planted among the answers turned up on the system's side: it has seen "
            "answers. Find out how, and run again; this run cannot be repaired."
        )
        return
    lasting = sorted({failure.kind for failure in record.technical if failure.kind in LASTING})
    if lasting:
        yield Step(
            f"Asking again does not mend what broke here ({', '.join(lasting)}). Repair it, "
            "then make a new run:",
            whole_command(record),
        )
        return
    if any(failure.kind == BUDGET for failure in record.technical):
        yield Step(
            "The budget was used up. Go on with the cases that were not asked, adding "
            "--bench-budget with a higher limit (it counts what is spent already):",
            resume_command(record, is_over_budget=True),
        )
        return
    cases = sorted({failure.case for failure in record.technical if failure.case})
    if cases:
        yield Step(
            f"Repair what broke, and try the first case alone, {cases[0]}:",
            case_command(record, cases[0]),
        )
    if record.technical:
        yield Step(
            "If the cause lay outside the system (network, key, disk), ask the failed cases of "
            "this run again; all others keep their results:",
            resume_command(record),
        )
        yield Step(
            "After a change of the system's own code, make a new run:", whole_command(record)
        )
    if record.spend.unpriced_attempts:
        yield Step(
            "Calls without a price make the spend unknown. Report cost_usd with each answer, or "
            "set prices in bench.json; then run again:",
            whole_command(record),
        )
    elif record.spend.budget_usd is not None and record.spend.spent_usd is None:
        yield Step(
            "Under a budget every answer must report its cost (or the adapter declares "
            "paid = False). Then run again:",
            whole_command(record),
        )
    elif not record.technical:
        yield Step("Repair what the reason names, then run again:", whole_command(record))


def _noise(view: RunView) -> Iterator[Step]:
    gate = view.gate
    if gate is None or gate.controls or view.record.adapter.deterministic:
        return
    command = control_command(view)
    text = "How much the same system differs from itself is not known. "
    if command:
        yield Step(
            f"{text}Record a control with the baseline's code, and name it with --bench-control:",
            command,
        )
    else:
        yield Step(
            f"{text}Repeat the run {view.record.baseline.id if view.record.baseline else ''} with "
            "the code it was made with, and name the repeat with --bench-control."
        )
