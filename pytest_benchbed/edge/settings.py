"""Where each setting comes from: command line, bench file, ini, default, in this order."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from pytest_benchbed.model.bench_file import BenchAdapter
from pytest_benchbed.model.bench_file import BenchFile
from pytest_benchbed.model.bench_file import RetryPolicy
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.money import to_decimal

DEFAULT_JOBS = 4
DEFAULT_REPEATS = 1
DEFAULT_ADAPTER = "reference"
ISOLATION = ("auto", "required", "off")
NOT_BUILT = {"shard_by": "shards are not built", "store": "stores of runs are not built"}
"""Fields of the format that nothing reads yet: what is set there must not look as if it worked."""
PRIVATE = ("auto", "show", "hide")


@dataclass(frozen=True)
class Settings:
    """The resolved settings of one benchmark."""

    adapter: str
    adapter_is_default: bool
    """No adapter is configured: the reference adapter answers, and a line says so."""
    adapter_entry: BenchAdapter
    """The bench file's entry for the adapter, or an empty one."""
    model: str | None
    jobs: int | None
    """None: the default, which ``-n`` may raise."""
    repeats: int
    budget_usd: Decimal | None
    timeout_s: float | None
    """Limit of one call; None: the adapter's own or the default."""
    gate: str | None
    rule: str
    rule_source: str
    isolation: str
    require_gate: bool
    max_unjudged: Fraction | None
    """Share of the cases above which a pass is incomplete; None: no limit."""
    stale_days: int
    """Age of the newest run of the old code that is worth a warning."""
    note: str | None
    retry: RetryPolicy
    rate: str | None


def resolve_settings(config: pytest.Config, bench: BenchFile) -> Settings:
    """Resolve every setting.

    Raises:
        UsageProblem: a number out of range or an unknown level, with its source; a
            field that is not built.
    """
    _check_ini(config)
    for field in NOT_BUILT:
        if getattr(bench, field) is not None:
            raise UsageProblem(
                f"field {field} of the bench file: {NOT_BUILT[field]} in this version.\n"
                "Take it out: it would change nothing."
            )
    for name, limit in (bench.thresholds or {}).items():
        is_possible = -1 <= limit <= 0 if name == "quality" else limit >= 1
        if not is_possible:
            example = "-0.05" if name == "quality" else "1.5"
            raise UsageProblem(
                f"thresholds: {name}: {limit:g} (the bench file) is no limit of a change for the "
                f"worse, such as {example}."
            )

    def first(option: str, in_bench: Any, default: Any = None) -> tuple[Any, str]:
        typed = config.getoption(f"bench_{option}")
        if typed is not None:
            return typed, f"--bench-{option.replace('_', '-')}"
        if in_bench is not None:
            return in_bench, "the bench file"
        ini = config.getini(f"bench_{option}")
        return (ini, f"ini bench_{option}") if ini else (default, "the default")

    adapter, adapter_source = first("adapter", bench.adapter, DEFAULT_ADAPTER)
    entry = bench.adapters.get(adapter) or next(
        (item for item in bench.adapters.values() if item.entry == adapter), BenchAdapter()
    )
    budget, budget_source = first("budget", bench.budget_usd)
    rule, rule_source = first("rule", bench.rule, "auto")
    isolation, isolation_source = first("isolation", bench.isolation, "auto")
    if isolation not in ISOLATION:
        raise UsageProblem(
            f"unknown isolation {isolation!r} ({isolation_source}). Use one of: "
            f"{', '.join(ISOLATION)}."
        )
    if isolation == "required":
        raise UsageProblem(
            f"isolation 'required' ({isolation_source}) is refused: this version runs adapters in "
            "processes of their own, without confinement. Use --bench-isolation=auto."
        )
    jobs = first("jobs", bench.jobs)
    timeout = first("timeout", (entry.limits or {}).get("call_s"))
    repeats = first("repeats", bench.repeats, DEFAULT_REPEATS)
    try:
        budget_usd = None if budget is None else to_decimal(budget)
    except ValueError:
        raise UsageProblem(
            f"{budget_source}: {str(budget)[:80]!a} is no amount of dollars, such as 0 or 2.50."
        ) from None
    return Settings(
        adapter=adapter,
        adapter_is_default=adapter_source == "the default",
        adapter_entry=entry,
        model=first("model", entry.model)[0],
        jobs=None if jobs[0] is None else _whole(jobs, "calls at once"),
        repeats=_whole(repeats, "attempts"),
        budget_usd=budget_usd,
        timeout_s=None if timeout[0] is None else _seconds(timeout),
        gate=first("gate", bench.gate)[0],
        rule=rule,
        rule_source=rule_source,
        isolation=isolation,
        require_gate=bool(
            config.getoption("bench_require_gate") or config.getini("bench_require_gate")
        ),
        max_unjudged=max_unjudged(config),
        stale_days=stale_days(config),
        note=config.getoption("bench_note"),
        retry=bench.retry or RetryPolicy(),
        rate=bench.rate,
    )


def _check_ini(config: pytest.Config) -> None:
    """Refuse what would else be read as the default, at worst showing private texts."""
    private = config.getini("bench_private")
    if private not in PRIVATE:
        raise UsageProblem(
            f"ini bench_private: {str(private)[:80]!a} is none of: {', '.join(PRIVATE)}."
        )
    kept = str(config.getini("bench_retention_count"))
    if not (kept.isascii() and kept.isdecimal()):
        raise UsageProblem(
            f"ini bench_retention_count: {kept[:80]!a} is no number of partial runs to keep."
        )


def max_unjudged(config: pytest.Config) -> Fraction | None:
    """Return ini ``bench_max_unjudged``, a share of the cases, exactly as it is written.

    Raises:
        UsageProblem: it is no number from 0 to 1.
    """
    text = str(config.getini("bench_max_unjudged") or "").strip()
    if not text:
        return None
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise UsageProblem(
            f"ini bench_max_unjudged: {text[:80]!a} is no share of the cases, such as 0.1."
        )
    return share


def stale_days(config: pytest.Config) -> int:
    """Return ini ``bench_stale_days``, in days.

    Raises:
        UsageProblem: it is no whole number of at least 1.
    """
    text = str(config.getini("bench_stale_days")).strip()
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= 100_000):
        raise UsageProblem(f"ini bench_stale_days: {text[:80]!a} is no number of days, such as 30.")
    return int(text)


def _whole(found: tuple[Any, str], what: str) -> int:
    value, source = found
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if not 1 <= number <= 10_000:
        raise UsageProblem(f"{source}: {value!r} must be a number of {what} from 1 to 10000.")
    return number


def _seconds(found: tuple[Any, str]) -> float:
    value, source = found
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = 0.0
    if not 0 < number <= 86_400:
        raise UsageProblem(f"{source}: {value!r} must be seconds above 0, at most 86400.")
    return number
