"""An executable adapter: ``ADAPTER run --request FILE --output DIR``, once for all cases.

What it writes is read (:mod:`.batch_reply`) after it and everything it started
has ended (ENV-040).
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

from pytest_benchbed.adapters.batch_reply import BatchFailure
from pytest_benchbed.adapters.batch_reply import BatchReply
from pytest_benchbed.adapters.batch_reply import read_reply
from pytest_benchbed.adapters.environment import child_environment
from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.process import Exit
from pytest_benchbed.adapters.process import Order
from pytest_benchbed.adapters.process import Process
from pytest_benchbed.adapters.process import start
from pytest_benchbed.adapters.reader import RESULT_NAME
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.request import AdapterRequest

TICK_S = 1.0
LOG_NAME = "adapter"


def run_executable(
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
    """Run an executable adapter and read its predictions.

    ``request`` is what stands in the file ``request_path``, which is written if it
    is not there. ``tick`` is called about once a second with the seconds since
    the start; what it raises (such as Ctrl-C) kills the process tree and passes
    through. A result record of an earlier try is set aside first.

    Raises:
        TechnicalFailure: it could not be started; nothing was spent.
        BatchFailure: of the run, once it was started.
        UsageProblem: a declared environment variable is unset or too short.
    """
    environment = child_environment(spec.env or (), network=spec.network or "none", scratch=scratch)
    output.mkdir(parents=True, exist_ok=True)
    _set_aside(output)
    if not request_path.exists():
        request_path.write_bytes(canonical(request.to_json()) + b"\n")
    order = Order(
        argv=[
            str(spec.path),
            "run",
            "--request",
            str(request_path.absolute()),
            "--output",
            str(output.absolute()),
        ],
        env=environment.variables,
        cwd=scratch,
        log_dir=log_dir,
        log_name=LOG_NAME,
        limits=spec.limits,
        redactor=environment.redactor,
    )
    process = start(order)
    started = time.monotonic()
    try:
        ended = _watch(process, output, spec.limits, order.log, timeout_s, tick)
        latency_s = time.monotonic() - started
        _check_end(ended, order.log)
        _check_folder(output, spec.limits)
        return read_reply(request, output, spec.limits, latency_s, environment.redactor)
    except TechnicalFailure as failure:
        usage = failure.usage if isinstance(failure, BatchFailure) else None
        raise BatchFailure(
            failure.kind,
            failure.detail,
            where=failure.where,
            usage=usage,
            latency_s=time.monotonic() - started,
        ) from None
    finally:
        process.kill()
        _redact_folder(output, environment.redactor)


def _watch(
    process: Process,
    output: Path,
    limits: Limits,
    log: str,
    timeout_s: float,
    tick: Callable[[float], None],
) -> Exit:
    started = time.monotonic()
    while True:
        elapsed = time.monotonic() - started
        if elapsed >= timeout_s:
            process.terminate()
            process.wait(limits.grace_s + TICK_S)
            process.kill()
            raise BatchFailure(
                "timeout", f"no result in {timeout_s:g} s; its process tree was killed", where=log
            )
        ended = process.wait(min(TICK_S, timeout_s - elapsed))
        if ended is not None:
            return ended
        _check_folder(output, limits)
        tick(time.monotonic() - started)


def _check_end(ended: Exit, log: str) -> None:
    if ended.cause == "output_flood":
        raise BatchFailure("output_flood", ended.describe(), where=log)
    if ended.code != 0:
        raise BatchFailure("crash", ended.describe(), where=log)
    if ended.left:
        raise BatchFailure(
            "left_running",
            f"it ended but left {ended.left} processes running; they were killed",
            where=log,
        )


def _check_folder(output: Path, limits: Limits) -> None:
    """Refuse an output folder with too many entries or bytes."""
    entries = size = 0
    waiting = [os.fspath(output)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listing:
                for entry in listing:
                    entries += 1
                    if entries > limits.entries:
                        raise BatchFailure(
                            "output_entries",
                            f"it wrote more than {limits.entries} files and folders",
                            where=output.name,
                        )
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_size
        except OSError:
            # Gone again, or nested too deep to be named: the entries counted so far decide.
            continue
    if size > limits.directory_bytes:
        raise BatchFailure(
            "output_size",
            f"it wrote {size} bytes; {limits.directory_bytes} are allowed",
            where=output.name,
        )


def _redact_folder(output: Path, redactor: Redactor) -> None:
    """Take the secrets out of the files that it wrote itself; what stays is archived and shown."""
    if not redactor.values:
        return
    for folder, _, names in os.walk(output):
        for name in names:
            path = Path(folder, name)
            # Gone, or nothing that can be read: then nobody else reads it either.
            with contextlib.suppress(OSError):
                status = path.lstat()
                # A second name may be somebody else's file.
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
                    data = path.read_bytes()
                    clean = redactor.known(data)
                    if clean != data:
                        path.write_bytes(clean)


def _set_aside(output: Path) -> None:
    """Rename a result of an earlier try, which would pass for one of this try."""
    earlier = output / RESULT_NAME
    if not os.path.lexists(earlier):
        return
    number = 1
    while os.path.lexists(aside := earlier.with_name(f"adapter-result.earlier-{number}.json")):
        number += 1
    earlier.rename(aside)
