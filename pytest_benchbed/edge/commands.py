"""Commands that a user can paste: for one case, and the whole that a short form stands for."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.runs.read import Run


def rerun_command(config: pytest.Config, plan: Plan, case: str) -> str:
    """Return the command that runs one case again as it ran now.

    By ``--bench-select``: a node id outside the root folder cannot be typed.
    """
    parts = ["pytest", f"--bench={plan.name}", f"--bench-select=case={case}"]
    parts += _how(config, plan)
    return shlex.join(parts)


def full_command(config: pytest.Config, plan: Plan) -> str:
    """Return the command that the options, the bench file and the ini keys stand for."""
    settings = plan.settings
    parts = ["pytest", f"--bench={plan.name}", f"--bench-dataset={plan.dataset.id}"]
    for key, values in plan.selection.to_json().items():
        parts += [f"--bench-select={key}={value}" for value in values]
    parts += _how(config, plan, is_whole=True)
    parts += [f"--bench-target={target}" for target in sorted(plan.targets)]
    parts += [f"--bench-gate={plan.profile}", f"--bench-rule={settings.rule}"]
    if settings.jobs is not None:
        parts.append(f"--bench-jobs={settings.jobs}")
    if settings.repeats != 1:
        parts.append(f"--bench-repeats={settings.repeats}")
    if settings.budget_usd is not None:
        parts.append(f"--bench-budget={settings.budget_usd:f}")
    if settings.timeout_s is not None:
        parts.append(f"--bench-timeout={settings.timeout_s:g}")
    parts.append(f"--bench-isolation={settings.isolation}")
    if settings.require_gate:
        parts.append("--bench-require-gate")
    return shlex.join(parts)


def _how(config: pytest.Config, plan: Plan, *, is_whole: bool = False) -> list[str]:
    """Return the options that say which system is asked and what it is compared with."""
    parts = []
    typed_datasets = config.getoption("bench_dataset") or ()
    if typed_datasets and not is_whole:
        parts += [f"--bench-dataset={text}" for text in typed_datasets]
    if is_whole or not plan.settings.adapter_is_default:
        parts.append(f"--bench-adapter={plan.settings.adapter}")
    from_file = plan.settings.adapter_entry.options
    for key, value in plan.spec.options.items():
        # What comes from the bench file comes from there again; an object cannot be typed.
        if from_file.get(key) == value and (not is_whole or _has_object(value)):
            continue
        parts.append(f"--bench-adapter-option={key}={option_text(value)}")
    if plan.settings.model is not None:
        parts.append(f"--bench-model={plan.settings.model}")
    if plan.baseline is not None:
        parts.append(f"--baseline={run_text(config, plan.baseline)}")
        parts += [f"--bench-control={run_text(config, control)}" for control in plan.controls]
    elif plan.unpaired:
        parts.append("--bench-unpaired")
    if config.getoption("bench_runs_dir"):
        parts.append(f"--bench-runs-dir={config.getoption('bench_runs_dir')}")
    return parts


def _has_object(value: object) -> bool:
    if isinstance(value, list):
        return any(map(_has_object, value))
    return isinstance(value, dict)


def option_text(value: object) -> str:
    """Write an adapter option's value so that it is read back equal."""
    # Here: most runs have no option, and pay 2 MB for it otherwise.
    import yaml

    if isinstance(value, str):
        # Quoted only where a bare word would be read as a number, a list or null.
        return str(yaml.safe_dump(value, default_flow_style=True, width=10**6)).split("\n")[0]
    dumped = yaml.safe_dump(value, default_flow_style=True, width=10**6, allow_unicode=True)
    return str(dumped).removesuffix("\n...\n").strip()


def run_text(config: pytest.Config, run: Run) -> str:
    """Name a run as briefly as it can be found again: a path below here, else its whole path."""
    here = config.invocation_params.dir.resolve()
    path = run.path.resolve()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)


def path_text(path: Path, config: pytest.Config) -> str:
    """Return a path relative to the invocation directory where that is shorter."""
    try:
        text = os.path.relpath(path, config.invocation_params.dir)
    except ValueError:
        # Another drive on Windows.
        return str(path)
    return text if len(text) < len(str(path)) else str(path)
