"""Options and ini keys. Light: it is imported in every pytest session.

No ``choices=``: names are known only after all plugins are loaded. Relative
RUN and DIR values resolve against the invocation directory.
"""

from __future__ import annotations

from typing import Any

import pytest

EVERYDAY: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (
        ("--bench",),
        {
            "action": "append",
            "metavar": "NAME",
            "help": "run this benchmark (or family, or 'all'); may be repeated",
        },
    ),
    (
        ("--baseline", "--bench-baseline"),
        {
            "metavar": "RUN",
            "help": "compare with this saved run: a run directory, or an id below the runs "
            "directory",
        },
    ),
    (
        ("--bench-adapter",),
        {
            "metavar": "ADAPTER",
            "help": "the system under test: a registered name, module:name of a class or "
            "function, or the path of an executable",
        },
    ),
    (
        ("--bench-adapter-option",),
        {"action": "append", "metavar": "K=V", "help": "option for the adapter; may be repeated"},
    ),
    (
        ("--bench-run",),
        {"metavar": "ID", "help": "id of this run (default: <benchmark>-<date>-<random>)"},
    ),
    (
        ("--bench-unpaired",),
        {
            "action": "store_true",
            "help": "record without comparing: cases with errors are xfailed, not failed",
        },
    ),
    (
        ("--bench-select",),
        {
            "action": "append",
            "metavar": "KEY=VALUE",
            "help": "narrow the cases by case, tag, group, category, context, suite, variant or "
            "scenario; keys combine with and, values of one key with or",
        },
    ),
    (
        ("--bench-jobs",),
        {"type": int, "metavar": "N", "help": "calls at once (default: 4, or N of -n N)"},
    ),
    (
        ("--bench-budget",),
        {"metavar": "USD", "help": "stop calling before this many dollars are exceeded"},
    ),
    (
        ("--bench-list",),
        {"action": "store_true", "help": "list benchmarks, datasets and adapters, and exit"},
    ),
)

FURTHER: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (
        ("--bench-control",),
        {
            "action": "append",
            "metavar": "RUN",
            "help": "a repeat of the baseline by the same code, to know its noise; may be repeated",
        },
    ),
    (
        ("--bench-target",),
        {
            "action": "append",
            "metavar": "CASE",
            "help": "a case that must be without error; may be repeated",
        },
    ),
    (
        ("--bench-gate",),
        {"metavar": "PROFILE", "help": "profile that decides (default: the type's first)"},
    ),
    (
        ("--bench-rule",),
        {
            "metavar": "RULE",
            "help": "rule of the gate: strict, confirm, allowance, auto (default)",
        },
    ),
    (
        ("--bench-require-gate",),
        {"action": "store_true", "help": "exit 1 for every verdict but 'passed'"},
    ),
    (
        ("--bench-dataset",),
        {
            "action": "append",
            "metavar": "[NAME=]ID|PATH",
            "help": "dataset to use, where a benchmark has several",
        },
    ),
    (
        ("--bench-model",),
        {"metavar": "NAME", "help": "model name, given to the adapter and recorded"},
    ),
    (("--bench-note",), {"metavar": "TEXT", "help": "note kept in the run's record"}),
    (
        ("--bench-runs-dir",),
        {"metavar": "DIR", "help": "folder of the run directories (default: runs)"},
    ),
    (
        ("--bench-resume",),
        {
            "metavar": "RUN",
            "help": "go on with an unfinished run; on a completed one ask its technical "
            "failures again",
        },
    ),
    (
        ("--bench-reuse",),
        {
            "metavar": "RUN",
            "help": "take over outcomes of that run where the same system would be asked the same; "
            "never for a control",
        },
    ),
    (
        ("--bench-repeats",),
        {"type": int, "metavar": "N", "help": "ask each case N times (default: 1)"},
    ),
    (
        ("--bench-timeout",),
        {"type": float, "metavar": "SECONDS", "help": "limit of one call (default: 600)"},
    ),
    (
        ("--bench-isolation",),
        {
            "metavar": "LEVEL",
            "help": "auto, required or off (default: auto); the level reached is recorded",
        },
    ),
)

INI: tuple[tuple[str, str, str, Any], ...] = (
    ("bench_paths", "folders whose benchmarks register themselves", "args", ["cases"]),
    ("bench_runs_dir", "folder of the run directories", "string", "runs"),
    ("bench_adapter", "default adapter", "string", None),
    ("bench_model", "default model name", "string", None),
    ("bench_jobs", "calls at once", "string", None),
    ("bench_repeats", "attempts of each case", "string", None),
    ("bench_budget", "budget in dollars of each run", "string", None),
    ("bench_timeout", "limit of one call in seconds", "string", None),
    ("bench_gate", "profile that decides", "string", None),
    ("bench_rule", "rule of the gate", "string", None),
    (
        "bench_stale_days",
        "days after which the newest run of the old code is warned of",
        "string",
        "30",
    ),
    ("bench_isolation", "auto, required or off", "string", None),
    ("bench_require_gate", "exit 1 for every verdict but 'passed'", "bool", False),
    (
        "bench_max_unjudged",
        "share of cases, such as 0.1, that a passed gate may leave unjudged",
        "string",
        None,
    ),
    ("bench_retention_count", "unnamed partial runs that are kept", "string", "3"),
    ("bench_private", "texts of private datasets: auto, show or hide", "string", "auto"),
)


OF_ONE_RUN = frozenset(
    {
        "--baseline", "--bench-baseline", "--bench-control", "--bench-run", "--bench-unpaired",
        "--bench-select", "--bench-target", "--bench-resume", "--bench-reuse",
    }
)  # fmt: skip
"""Options that only a run can mean; the others may stand in any command of an IDE."""


def add_options(parser: pytest.Parser) -> None:
    """Add all options (the everyday ones first) and ini keys."""
    group = parser.getgroup("benchbed", "benchbed: benchmark cases as tests")
    for names, settings in (*EVERYDAY, *FURTHER):
        dest = "bench_" + names[0].lstrip("-").removeprefix("bench").lstrip("-").replace("-", "_")
        group.addoption(*names, dest=dest.rstrip("_"), default=None, **settings)
    for name, text, kind, default in INI:
        parser.addini(name, f"benchbed: {text}", type=kind, default=default)  # type: ignore[arg-type]


def stray_option(config: pytest.Config) -> str:
    """Return an option that was typed and means nothing in a session without a benchmark, or ""."""
    names = (str(argument).partition("=")[0] for argument in config.invocation_params.args)
    return next((name for name in names if name in OF_ONE_RUN), "")


def names_on_command_line(config: pytest.Config) -> bool:
    """Say whether ``--bench`` was typed, and does not come from ``addopts``."""
    return any(
        str(argument) == "--bench" or str(argument).startswith("--bench=")
        for argument in config.invocation_params.args
    )
