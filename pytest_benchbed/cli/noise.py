"""``benchbed gate --aa`` and ``--plan``: how often the gate errs, and what less of it costs.

Saved runs are read; nothing is written and no adapter is started.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from pytest_benchbed.benchmarks.registry import BenchmarkRegistry
from pytest_benchbed.cli.saved import SavedRuns
from pytest_benchbed.cli.saved import judge_of
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.noise_plan import NoisePlan
from pytest_benchbed.compare.noise_plan import cheapest_plan
from pytest_benchbed.compare.noise_plan import flaky_limit
from pytest_benchbed.compare.noise_plan import noise_plans
from pytest_benchbed.compare.old_code import noise_before
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.compare.refuse import Planned
from pytest_benchbed.compare.refuse import check_comparable
from pytest_benchbed.compare.refuse import check_profile
from pytest_benchbed.compare.self_test import self_test
from pytest_benchbed.edge.comparable import saved_run
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name
from pytest_benchbed.report.numbers import money
from pytest_benchbed.runs.bench_files import load_bench_file
from pytest_benchbed.runs.read import Run

WANTED = 0.05


def run_self_test(
    texts: Sequence[str],
    profile: str | None,
    *,
    saved: SavedRuns,
    benchmarks: BenchmarkRegistry,
    echo: Callable[[str], None],
) -> int:
    """Play every control as if it were the candidate, and print what each rule would say.

    Args:
        texts: baseline and controls; of a promoted baseline alone its controls.
        profile: the one that decides; None: the first of the type.
        saved: where runs are looked for.
        benchmarks: the registered types.
        echo: prints one line.

    Raises:
        BenchbedError: a run that is not found, or not comparable; no control.
    """
    baseline = saved.typed(texts[0])
    name = baseline.record.benchmark.id
    controls = [saved.typed(text) for text in texts[1:]] or _promoted_controls(saved, baseline)
    if not controls:
        raise UsageProblem(
            f"run {baseline.id!r} has no control, so nothing can be played against it.\nRecord "
            f"one with the same code: pytest --bench={name} --bench-unpaired, and name it after "
            "the baseline."
        )
    profile = profile or baseline.record.benchmark.profiles[0]
    check_profile(profile, baseline.record.benchmark.profiles)
    facts = _comparable(baseline, controls)
    test = self_test(
        facts[0],
        facts[1:],
        profile=profile,
        judge=judge_of(benchmarks, name),
        groups=facts[0].groups(),
    )
    for line in test.lines():
        echo(line)
    return 0


def run_noise_plan(
    name: str,
    wanted: str | None,
    profile: str | None,
    *,
    saved: SavedRuns,
    benchmarks: BenchmarkRegistry,
    echo: Callable[[str], None],
) -> int:
    """Print what a wanted false-alarm rate costs in controls and re-asks, by the noise seen.

    ``name``: a benchmark with a promoted baseline, or a saved run. ``wanted``: share of
    runs without a change that may be red, as it was typed (``0.05``, ``5 %``); None: 0.05.
    The rest is as of :func:`run_self_test`.

    Raises:
        BenchbedError: no such run; no baseline, or none with a control.
    """
    limit = WANTED if wanted is None else _share(wanted)
    for baseline in _baselines(saved, name):
        controls = _promoted_controls(saved, baseline)
        profile_ = profile or baseline.record.benchmark.profiles[0]
        check_profile(profile_, baseline.record.benchmark.profiles)
        facts = _comparable(baseline, controls)
        _, seen = noise_before(
            "confirm",
            facts[0],
            facts[1:],
            profile=profile_,
            judge=judge_of(benchmarks, baseline.record.benchmark.id),
            is_deterministic=False,
            groups=facts[0].groups(),
        )
        flaky = flaky_limit(seen.unstable, seen.controls)
        for line in _plan_lines(baseline, facts[0], seen.unstable, len(controls), flaky, limit):
            echo(line)
    return 0


def _share(text: str) -> float:
    number = text.strip()
    try:
        share = float(number.removesuffix("%"))
    except ValueError:
        share = math.nan
    if number.endswith("%"):
        share /= 100
    if not 0 < share < 1:
        raise UsageProblem(
            f"--false-alarm={term(text, 60)} is no share of the runs, such as 0.05 or 5%."
        )
    return share


def _plan_lines(
    baseline: Run,
    facts: RunFacts,
    unstable: int,
    controls: int,
    flaky: Fraction | None,
    limit: float,
) -> list[str]:
    head = f"plan: baseline {term(baseline.id)}, {count(len(facts.rows), 'case')}"
    # A control is a whole run, with as many repeats.
    calls = len(facts.rows) * baseline.record.repeats
    price = _price(facts)
    if flaky is None:
        return [
            f"{head}: no control, so the noise is unknown",
            f"  add one, which takes {count(calls, 'call')}{_dollars(price, calls)}: pytest "
            f"--bench={baseline.record.benchmark.id} --bench-unpaired, then benchbed promote "
            f"{baseline.id} --control=RUN",
        ]
    judged = sum(row["state"] == "scored" for row in facts.rows.values())
    shown = f"{float(flaky):.3g} flaky cases" if flaky <= judged else f"all {judged} cases flaky,"
    basis = "estimated" if unstable else "at most, 95 % sure (none was seen)"
    lines = [
        f"{head}, {count(controls, 'control')}, {unstable} unstable: {shown} {basis}",
        f"  {'controls':>8}  {'re-asks':>7}  {'false alarm':>11}  once, for the controls  "
        "each run, to ask again",
    ]
    plans = noise_plans(flaky, calls)
    best = cheapest_plan(plans, limit)
    within = f"{100 * limit:g} %"
    for plan in plans:
        mark = f"  <- the fewest within {within}" if plan is best else ""
        lines.append(f"{_row(plan, price)}{mark}")
    if best is None:
        lines.append(f"  none is within {within}: make the system steadier, or judge fewer cases")
    if price is None:
        lines.append("  no dollars: the baseline does not know the cost of every call")
    return lines


def _row(plan: NoisePlan, price: float | None) -> str:
    once = f"{count(plan.control_calls, 'call')}{_dollars(price, plan.control_calls)}"
    each = f"{plan.recheck_calls:.2g} calls{_dollars(price, plan.recheck_calls)}"
    return (
        f"  {plan.controls:>8}  {plan.rechecks:>7}  {percent(plan.false_alarm):>11}  {once:<22}  "
        f"{each}"
    )


def _dollars(price: float | None, calls: float) -> str:
    return "" if price is None else f", {money(round(price * calls, 6))}"


def _price(facts: RunFacts) -> float | None:
    """Return the mean cost of a call, None where some is not known."""
    costs = [row["x"]["cost_usd"] for row in facts.rows.values()]
    if not costs or any(cost is None for cost in costs):
        return None
    return float(sum(map(float, costs)) / len(costs))


def _baselines(saved: SavedRuns, name: str) -> list[Run]:
    path = saved.bench_files.get(name)
    if path is None:
        known: Mapping[str, Path] = saved.bench_files
        try:
            return [saved.typed(name)]
        except UsageProblem:
            raise UsageProblem(
                unknown_name("benchmark or run", name, list(known), "benchbed list")
            ) from None
    promoted = [
        saved.promoted("baseline", entry.baseline, adapter, name)
        for adapter, entry in load_bench_file(path).adapters.items()
        if entry.baseline
    ]
    if not promoted:
        raise UsageProblem(f"{path}: no adapter has a baseline.\nMake one: benchbed record {name}")
    return promoted


def _promoted_controls(saved: SavedRuns, baseline: Run) -> list[Run]:
    """Return the controls that were promoted with a baseline, if it was."""
    name = baseline.record.benchmark.id
    path = saved.bench_files.get(name)
    if path is None:
        return []
    return [
        saved.promoted("control", control, adapter, name)
        for adapter, entry in load_bench_file(path).adapters.items()
        if entry.baseline == baseline.id
        for control in entry.controls
    ]


def _comparable(baseline: Run, controls: Sequence[Run]) -> list[RunFacts]:
    """Read runs of one code; refused is what could be no control of the baseline."""
    facts = [run.facts() for run in (baseline, *controls)]
    if len(facts) > 1:
        mine = saved_run(controls[0])
        check_comparable(
            Planned.of_run(facts[1], mine.path, mine.results_sha256),
            saved_run(baseline),
            [saved_run(control) for control in controls[1:]],
        )
    return facts
