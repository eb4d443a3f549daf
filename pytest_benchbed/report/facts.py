"""What stands beside a verdict, in plain words: coverage, noise, system, limits.

Pure: a gate result and a run record in, sentences out. Their words are ours and
the ids of cases and runs; no text of a case, an answer or a reply is in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_benchbed.compare.confirm import OPEN
from pytest_benchbed.compare.lines import control_ages
from pytest_benchbed.compare.lines import flaky_cases
from pytest_benchbed.compare.lines import is_grouped
from pytest_benchbed.compare.lines import sign_test_text
from pytest_benchbed.compare.lines import smallest_change_text
from pytest_benchbed.compare.lines import suspect_facts
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.compare.ruling import OUT_OF_BUDGET
from pytest_benchbed.compare.ruling import UNCONFIRMED
from pytest_benchbed.compare.sentence import rule_sentence
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.report.measures import Measure
from pytest_benchbed.report.numbers import MINUS
from pytest_benchbed.report.numbers import count
from pytest_benchbed.report.numbers import money

TITLES = {
    "passed": "Passed",
    "failed": "Failed",
    "baseline required": "Baseline required",
    "incomplete": "Incomplete",
    "unavailable": "Unavailable",
    "blocked": "Blocked",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One line beside the verdict."""

    name: str
    text: str


def headline_sentence(
    record: RunRecord, gate: GateResult | None, counts: dict[str, int], status: str
) -> str:
    """Say in one sentence what the verdict means. ``counts``: cases per bucket."""
    worse, better = counts.get("worse", 0), counts.get("better", 0)
    against = f"Compared with baseline {record.baseline.id}, " if record.baseline else ""
    if status == "blocked":
        return (
            "Something broke besides the answers, so this run has no score. "
            "Repair the cause, then ask the failed cases again."
        )
    if status == "unavailable":
        return "This run cannot be judged, however good its answers are."
    if status == "baseline required":
        errors = counts.get("remaining", 0)
        found = f"{count(errors, 'case')} with errors" if errors else "no errors"
        return f"This run is recorded ({found}). Nothing was compared: there is no baseline yet."
    wobbled = _wobbled(gate)
    if status == "incomplete":
        if left := _left_open(gate):
            return (
                f"{against}{count(left, 'case')} could be broken, and could not be asked again "
                "often enough to tell."
            )
        so_far = f" So far {count(worse, 'case')} got worse." if worse else ""
        return f"The comparison does not cover every case, so there is no verdict yet.{so_far}"
    parts = []
    if worse:
        parts.append(f"{count(worse, 'case')} got worse")
    elif status == "passed":
        parts.append("no stable case got worse")
    if wobbled:
        parts.append(f"{count(wobbled, 'case')} wobbled (right when asked again)")
    if better:
        parts.append(f"{count(better, 'case')} got better" if not parts else f"{better} got better")
    targets = [target.case for target in gate.targets if target.errors] if gate else []
    if targets:
        parts.append(f"{count(len(targets), 'target')} still {_has(targets)} errors")
    sentence = f"{against}{_listed(parts) or 'nothing changed'}."
    if gate is not None and gate.justification:
        sentence += " A reason was given for the fall."
    return sentence[0].upper() + sentence[1:]


def _wobbled(gate: GateResult | None) -> int:
    return sum(one.outcome == "wobbled" for one in gate.suspects) if gate else 0


def _left_open(gate: GateResult | None) -> int:
    """Return how many suspects are what the verdict waits for."""
    if gate is None or not gate.reason.startswith((UNCONFIRMED, OUT_OF_BUDGET)):
        return 0
    return sum(one.outcome in OPEN for one in gate.suspects)


def _listed(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def facts(record: RunRecord, gate: GateResult) -> list[Fact]:
    """Return the lines that every verdict needs; none of them is left out.

    A verdict whose noise, system or smallest change is not known says so.
    """
    lines = [Fact("Rule", f"{gate.rule} ({gate.rule_source})")]
    if told := rule_sentence(gate, is_grouped=is_grouped(record)):
        lines.append(Fact("What the rule did", told))
    if gate.baseline is not None:
        suspects = "; ".join(suspect_facts(gate, record)).removeprefix("suspects ")
        lines.append(Fact("Suspects", suspects))
    lines.append(Fact("Coverage", coverage_text(record, gate)))
    if gate.targets:
        clean = sum(1 for target in gate.targets if not target.errors)
        lines.append(Fact("Targets", f"{clean} of {len(gate.targets)} without an error"))
    lines.append(Fact("Noise", noise_text(gate)))
    lines.append(Fact("System", system_text(record, gate)))
    lines.append(Fact("Smallest visible change", smallest_text(record, gate)))
    test = gate.sign_test
    if gate.baseline is not None:
        lines.append(
            Fact(
                "Direction",
                f"against the baseline alone {test.worse} worse, {test.better} better, "
                f"{test.mixed} both; {sign_test_text(gate, record)}; information only",
            )
        )
    if gate.justification:
        lines.append(Fact("Justification", gate.justification))
    return lines


def chance_facts(measures: Iterable[Measure]) -> list[Fact]:
    """Return what chance does to measures that have no errors: information, no verdict."""
    told = (one.by_chance(MINUS) for one in measures)
    return [Fact("Chance", f"{text}; information only") for text in told if text]


def coverage_text(record: RunRecord, gate: GateResult) -> str:
    """Return ``compared n of m`` and every group of cases that was not judged."""
    coverage = gate.coverage
    parts = [f"compared {coverage.compared:,} of {coverage.of:,}"]
    unstable = f"unstable {gate.D}"
    if gate.D and coverage.of:
        unstable += f" ({percent(gate.D / coverage.of)})"
    parts.append(unstable)
    parts.append(f"retired {_retired(record, gate)}")
    parts.append(f"skipped {len(coverage.skipped)}")
    others = {
        "no answer": len(coverage.no_answer),
        "without a result": len(coverage.holes),
        "not selected": coverage.not_selected,
        "not in the baseline": len(coverage.not_in_baseline),
        "no longer supported": len(coverage.support_lost),
        "new": len(coverage.new),
        "removed": len(coverage.removed),
        "unverifiable": len(coverage.unverifiable),
    }
    parts += [f"{name} {number}" for name, number in others.items() if number]
    return ", ".join(parts)


def _retired(record: RunRecord, gate: GateResult) -> int:
    """Without a comparison only the record knows the retired cases."""
    return max(len(gate.coverage.retired), record.counts.retired)


def noise_text(gate: GateResult) -> str:
    """Return what is known about how often the same code answers differently."""
    alarm = gate.false_alarm
    if alarm.estimate is None or gate.flaky_estimate is None:
        return (
            "unknown: no control run. Without one, chance and a change of the system look the same."
        )
    # Nothing seen proves little, so the limit stands beside it.
    limit = (
        f" (at most {percent(alarm.limit95)} with 95 % confidence)"
        if alarm.limit95 is not None
        else ""
    )
    asks = f"; a suspect is asked again up to {_times(gate.r)}" if gate.r else ""
    return (
        f"{count(len(gate.controls), 'control')} ({control_ages(gate)}); "
        f"flaky cases estimated at {flaky_cases(gate)}{asks}; "
        f"false alarm estimated at {percent(alarm.estimate)}{limit}"
    )


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def system_text(record: RunRecord, gate: GateResult) -> str:
    """Return which system answered and how sure that is."""
    name = " ".join(part for part in (record.adapter.name, record.adapter.version) if part)
    unknown = sorted(run for run, identified in gate.identified.items() if not identified)
    if not unknown:
        return f"{name}, identified"
    return (
        f"{name}, not identified ({', '.join(unknown)}): neither a version nor a watched file "
        "shows that the product behind the adapter stayed the same or changed"
    )


def smallest_text(record: RunRecord, gate: GateResult) -> str:
    """Return the smallest change this verdict could have seen."""
    if gate.baseline is None:
        return "nothing was compared, so no change could be seen"
    unseen = gate.D + _retired(record, gate) + len(gate.coverage.skipped)
    blind = ""
    if unseen:
        blind = f"; nothing can be seen in {count(unseen, 'case')} (unstable, retired or skipped)"
    return f"{smallest_change_text(gate, record)}{blind}"


def isolation_text(record: RunRecord, *, is_brief: bool = False) -> str:
    """Return how far the system was kept from the answers, and its network."""
    isolation = record.isolation
    level = str(isolation.get("level", "not recorded"))
    meaning = {
        "off": "no confinement, no limits",
        "process": "a process of its own, not confined",
        "landlock-partial": "confined by the kernel, signals left open",
        "landlock": "confined by the kernel",
        "bwrap": "confined in a container",
    }.get(level)
    network = {"none": "no network declared", "all": "network open"}.get(
        str(isolation.get("network", "")), "network not recorded"
    )
    if isolation.get("network") == "none" and level in ("bwrap", "landlock", "landlock-partial"):
        network = "no network"
    return f"{level}{f' ({meaning})' if meaning and not is_brief else ''}, {network}"


def spend_text(record: RunRecord) -> str:
    """Return what the run cost; unknown is never $0."""
    spend = record.spend
    if spend.spent_usd is not None:
        text = money(spend.spent_usd)
    elif spend.unpriced_attempts:
        text = f"unknown: {count(spend.unpriced_attempts, 'call')} without a price"
    else:
        text = "not reported"
    if spend.reask_usd:
        text += f", of it {money(spend.reask_usd)} for asking again"
    if spend.judge_usd:
        text += f"; judge {money(spend.judge_usd)}"
    if spend.budget_usd is not None:
        text += f"; budget {money(spend.budget_usd)}"
    return text


def limits(record: RunRecord, gate: GateResult | None) -> list[str]:
    """Return what this run cannot show, stated plainly."""
    lines = []
    level = record.isolation.get("level")
    if level in ("process", "off", None):
        lines.append(
            "The system ran without confinement: a program that wants to can read the files of "
            "this user, answers included. The run shows what an honest system does."
        )
    if record.isolation.get("network") == "all":
        lines.append("The system had network access and may have used anything it found there.")
    if record.adapter.source is not None and record.adapter.source.dirty:
        lines.append("The adapter's working copy had changes that are in no commit.")
    if gate is None or not gate.controls:
        lines.append(
            "No control run: how often the same system changes its answers by chance is unknown."
        )
    if record.partial:
        lines.append(f"Not all cases of the scope were run: {', '.join(record.partial)}.")
    if record.shard:
        lines.append(f"This is shard {record.shard} of a run.")
    if record.dataset.verified == "stat":
        lines.append("The dataset's files were compared by size and date only.")
    if record.dataset.canary == "absent":
        lines.append("The dataset plants no canary, so a leaked answer could not be noticed.")
    lines.append(
        "Errors are compared by kind and place. Expected and got text, quality, latency and cost "
        "are shown, and decide nothing here."
    )
    return lines
