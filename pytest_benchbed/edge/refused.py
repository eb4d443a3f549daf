"""Combinations with other options that would spend twice, or compare nothing: refused early."""

from __future__ import annotations

import pytest

from pytest_benchbed.model.errors import UsageProblem


def is_worker(config: pytest.Config) -> bool:
    """Say whether this process is an xdist worker."""
    return hasattr(config, "workerinput")


def is_distributed(config: pytest.Config) -> bool:
    """Say whether this process hands the items to xdist workers."""
    return config.getoption("dist", "no") != "no" and not config.option.collectonly


PARTS = frozenset(
    f"benchbed-{name}"
    for name in (
        "collector", "controller", "item-reports", "last-line", "summary-restore",
        "summary-swap", "worker", "xdist",
    )
)  # fmt: skip
"""Names under which a session registers its parts."""


def check_combinations(config: pytest.Config) -> None:
    """Refuse what cannot work beside benchmark cases.

    Raises:
        UsageProblem: with the option to leave out.
    """
    for name in sorted(PARTS):
        if config.pluginmanager.is_blocked(name):
            raise UsageProblem(
                f"-p no:{name} takes a part of the gate away: leave it out with --bench, or leave "
                "out --bench."
            )
    if config.getoption("dist", "no") == "each":
        raise UsageProblem(
            "--dist=each runs every case once per worker and would pay for each: use --dist=load."
        )
    for spec in config.getoption("tx", None) or ():
        # xdist itself fills this list with 'popen' for -n N.
        kind = str(spec).split("*")[-1]
        if not kind.startswith("popen") or "via=" in kind:
            raise UsageProblem(
                f"--tx={str(spec)[:80]}: a remote worker does not see the run directory. Use -n N."
            )
    if config.getoption("force_reruns", None):
        raise UsageProblem(
            "--force-reruns would ask failed cases again and hide the first result: leave it out "
            "with --bench (--reruns is harmless, benchmark cases are not rerun)."
        )
    if config.getoption("reruns_mode", None) == "append":
        raise UsageProblem(
            "--reruns-mode=append would rerun benchmark cases: leave it out with --bench."
        )
    if config.pluginmanager.hasplugin("html") and config.getini("generate_report_on_test"):
        raise UsageProblem(
            "generate_report_on_test rewrites the page after every case: leave it out with --bench."
        )
    if config.getoption("bench_unpaired") and config.getoption("bench_baseline"):
        raise UsageProblem(
            "--bench-unpaired records without comparing, so it cannot go with --baseline: "
            "leave out one of them."
        )
    if config.getoption("bench_control") and config.getoption("bench_unpaired"):
        raise UsageProblem(
            "--bench-control repeats a baseline, and --bench-unpaired sets it aside: "
            "leave out one of them."
        )
    if config.getoption("bench_resume") and config.getoption("bench_run"):
        raise UsageProblem("--bench-resume names the run itself: leave out --bench-run.")
