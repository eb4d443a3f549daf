"""The real process behind a slot; tests put fakes in its place."""

from __future__ import annotations

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.python_host import PythonHost
from pytest_benchbed.calls.group import Host
from pytest_benchbed.calls.plan import RunCalls


def make_host(plan: RunCalls, slot: int, info: AdapterInfo | None, jobs: int) -> Host:
    """Return the host of a slot, not started; its output goes to the run's ``adapter/``."""
    scratch = plan.scratch / f"slot-{slot}"
    log_dir = plan.run_dir / "adapter"
    scratch.mkdir(parents=True, exist_ok=True)
    log_dir.mkdir(parents=True, exist_ok=True)
    return PythonHost(plan.spec, slot=slot, log_dir=log_dir, scratch=scratch, info=info, jobs=jobs)
