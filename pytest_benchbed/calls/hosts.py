"""The real processes behind the broker; tests put fakes in their place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.python_host import PythonHost
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls.batch import BatchReply
from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.calls.pool import Host
from pytest_benchbed.model.request import AdapterRequest


def make_host(plan: RunCalls, slot: int, info: AdapterInfo | None) -> Host:
    """Return the host of a slot, not started; its output goes to the run's ``adapter/``."""
    scratch = plan.scratch / f"slot-{slot}"
    log_dir = plan.run_dir / "adapter"
    scratch.mkdir(parents=True, exist_ok=True)
    log_dir.mkdir(parents=True, exist_ok=True)
    return PythonHost(plan.spec, slot=slot, log_dir=log_dir, scratch=scratch, info=info)


def run_batch(
    spec: AdapterSpec,
    request: AdapterRequest,
    *,
    request_path: Path,
    output: Path,
    scratch: Path,
    log_dir: Path,
    timeout_s: float,
    tick: Callable[[float], None],
) -> BatchReply:
    """Run an executable; see :class:`pytest_benchbed.calls.batch.BatchRunner`."""
    from pytest_benchbed.adapters.executable import run_executable

    return run_executable(
        spec,
        request,
        request_path=request_path,
        output=output,
        scratch=scratch,
        log_dir=log_dir,
        timeout_s=timeout_s,
        tick=tick,
    )
