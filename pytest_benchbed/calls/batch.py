"""Ask an executable: one process for all cases, paid whole.

It runs in the thread that starts the session, before the first item: pytest
shows nothing meanwhile, so a line is printed before it and every 10 seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any
from typing import Protocol

from pytest_benchbed.adapters.batch_reply import BatchFailure
from pytest_benchbed.adapters.batch_reply import BatchReply
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls.line import OutcomeForm
from pytest_benchbed.calls.line import seal
from pytest_benchbed.calls.line import utc_now
from pytest_benchbed.calls.record import CallsFile
from pytest_benchbed.calls.record import Head
from pytest_benchbed.calls.request import CaseDigests
from pytest_benchbed.calls.request import batch_digest
from pytest_benchbed.calls.request import batch_request
from pytest_benchbed.calls.request import case_text
from pytest_benchbed.calls.request import write_request
from pytest_benchbed.calls.spend import ZERO
from pytest_benchbed.calls.state import RunState
from pytest_benchbed.calls.state import technical
from pytest_benchbed.model.errors import BenchbedError
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.request import AdapterRequest
from pytest_benchbed.model.run import TechnicalRecord
from pytest_benchbed.model.usage import Usage

HEARTBEAT_S = 10.0
LONGEST_BATCH_S = 24 * 3600.0
ADAPTER_REQUEST = "adapter-request.json"
ADAPTER_OUTPUT = "adapter"
_MISSING = TechnicalFailure("missing_case", "it has no prediction")


class BatchRunner(Protocol):
    """Run an executable, as ``adapters/executable.py`` does.

    Raises ``BatchFailure`` if the batch fails, a plain ``TechnicalFailure`` if
    it was not even started.
    """

    def __call__(
        self,
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
        """Answer the cases of ``request``."""


@dataclass(frozen=True)
class _Asked:
    """A batch as it goes out."""

    request: AdapterRequest
    request_path: Path
    output: Path
    digests: Mapping[str, str]
    """Of the request as each case sees it."""
    digest: str


def ask_batch(
    run: RunState,
    cases: Sequence[str],
    attempt: int,
    *,
    runner: BatchRunner,
    say: Callable[[str], None],
    check: Callable[[], None] = lambda: None,
) -> TechnicalRecord | None:
    """Ask ``cases`` at once and record what came back; return what breaks the run, if anything.

    A batch that fails is a technical failure of the run and of each case. A
    prediction that is missing is one of its case. ``check`` is called about once a
    second and may raise ``KeyboardInterrupt`` to end it.

    Raises:
        UsageProblem: an environment variable that the adapter declares is not set.
    """
    plan = run.plan
    what = f"{term(plan.benchmark)}: one batch of {len(cases)} cases for {term(plan.spec.name)}"
    reply: BatchReply | None = None
    failure: TechnicalFailure | None = None
    try:
        asked = _prepare(run, cases, attempt)
        say(f"benchbed: {what}; it is paid whole, -x cannot save any of it")
        _file(run).append(run.line("intent", **_key(None, attempt, asked.digest)), durable=False)
        refused: BenchbedError | None = None
        try:
            reply = runner(
                plan.spec,
                asked.request,
                request_path=asked.request_path,
                output=asked.output,
                scratch=plan.scratch,
                log_dir=asked.output,
                timeout_s=min(plan.timeout_s * len(cases), LONGEST_BATCH_S),
                tick=_heartbeat(what, say, check),
            )
        except TechnicalFailure as error:
            failure = error
        except KeyboardInterrupt:
            # Its intent is on record without an outcome: it may have spent anything.
            run.ledger.tally.lost_batches += 1
            raise
        except BenchbedError as error:
            refused, failure = error, TechnicalFailure("refused", str(error))
        total = _total(run, attempt, asked, reply, failure)
        lines = _lines(run, cases, attempt, asked, reply, failure)
        last: tuple[Head, bytes] = ((None, attempt, None), seal(total)[1])
        _file(run).append_sealed(chain(lines, [last]))
        run.ledger.tally.add(total)
        if refused is not None:
            raise refused
    except (TechnicalFailure, OSError, ValueError) as error:
        # Storage, or a dataset that changed under us: what is not on record was not answered.
        failure = error if isinstance(error, TechnicalFailure) else _storage(error)
    if failure is None:
        return None
    return TechnicalRecord(
        case=None, whose=failure.whose, kind=failure.kind, detail=_detail(failure)
    )


def _file(run: RunState) -> CallsFile:
    assert run.file is not None, "a run is opened before it is asked"
    return run.file


def _prepare(run: RunState, cases: Sequence[str], attempt: int) -> _Asked:
    """Write the request; a second batch of a run overwrites nothing of the first."""
    plan = run.plan
    request = batch_request(plan, cases, attempt, run.ledger.remaining_usd)
    contexts = {context.id: case_text(context) for context in request.contexts}
    texts = {view.id: case_text(view) for view in request.cases}
    digest_of = CaseDigests(plan, attempt).of
    digests = {
        view.id: digest_of(texts[view.id], contexts.get(view.context or "", b"null"))
        for view in request.cases
    }
    request_path = plan.run_dir / ADAPTER_REQUEST
    output = plan.run_dir / ADAPTER_OUTPUT
    number = 1
    while request_path.exists() or _is_used(output):
        number += 1
        request_path = plan.run_dir / f"adapter-request-{number}.json"
        output = plan.run_dir / ADAPTER_OUTPUT / f"batch-{number}"
    output.mkdir(parents=True, exist_ok=True)
    # The views are at hand; made again they would be half the cost of a batch.
    views = {view.id: view for view in request.cases}
    known = replace(plan, view=views.__getitem__)
    write_request(request_path, known, cases, attempt, run.ledger.remaining_usd, texts)
    digest = batch_digest(plan, attempt, digests.values())
    return _Asked(request, request_path, output, digests, digest)


def _is_used(output: Path) -> bool:
    return output.is_dir() and next(output.iterdir(), None) is not None


def _heartbeat(
    what: str, say: Callable[[str], None], check: Callable[[], None]
) -> Callable[[float], None]:
    due = HEARTBEAT_S

    def tick(elapsed_s: float) -> None:
        nonlocal due
        check()
        if elapsed_s >= due:
            due = elapsed_s + HEARTBEAT_S
            say(f"benchbed: {what}: {elapsed_s:.0f} s")

    return tick


def _lines(
    run: RunState,
    cases: Sequence[str],
    attempt: int,
    asked: _Asked,
    reply: BatchReply | None,
    failure: TechnicalFailure | None,
) -> Iterator[tuple[Head, bytes]]:
    """Yield the outcome of each case; its latency is its share of the batch."""
    latency_s = round(_latency_s(reply, failure) / len(cases), 6)
    at = utc_now()

    def form(wrong: TechnicalFailure | None) -> OutcomeForm:
        key = _key(None, attempt, "")
        return OutcomeForm(
            {
                **run.line("outcome", **key, at=at),
                "state": "technical" if wrong else "ok",
                "error": _error(wrong) if wrong else None,
                "usage": Usage().to_json(),
                "latency_s": latency_s,
                "queue_s": 0.0,
                "slot": 0,
            }
        )

    common = form(failure)
    state = "technical" if failure else "ok"
    predictions = reply.predictions if reply is not None and failure is None else {}
    failures = reply.failures if reply is not None else {}
    for case in cases:
        raw, digest = predictions.get(case), asked.digests[case]
        if raw is not None or failure is not None:
            yield (case, attempt, state), common.seal(case, raw, digest)
        else:
            own = form(failures.get(case, _MISSING))
            yield (case, attempt, "technical"), own.seal(case, None, digest)


def _total(
    run: RunState,
    attempt: int,
    asked: _Asked,
    reply: BatchReply | None,
    failure: TechnicalFailure | None,
) -> Mapping[str, Any]:
    """Return the record that carries what the whole batch cost and took."""
    if reply is not None:
        usage = reply.usage
    elif isinstance(failure, BatchFailure):
        # None: it may have spent anything.
        usage = failure.usage or Usage()
    else:
        usage = Usage(cost_usd=ZERO)
    return {
        **run.line("outcome", **_key(None, attempt, asked.digest)),
        "raw": None,
        "state": "technical" if failure else "ok",
        "error": _error(failure) if failure else None,
        "usage": usage.to_json(),
        "latency_s": round(_latency_s(reply, failure), 6),
        "queue_s": 0.0,
        "slot": 0,
    }


def _key(case: str | None, attempt: int, digest: str) -> dict[str, Any]:
    return {"case": case, "context": None, "attempt": attempt, "request_sha256": digest}


def _latency_s(reply: BatchReply | None, failure: TechnicalFailure | None) -> float:
    if reply is not None:
        return reply.latency_s
    return failure.latency_s if isinstance(failure, BatchFailure) else 0.0


def _error(failure: TechnicalFailure) -> dict[str, Any]:
    return technical(failure.kind, failure.detail, where=failure.where, whose=failure.whose)


def _storage(error: Exception) -> TechnicalFailure:
    return TechnicalFailure("storage", str(error), whose="system")


def _detail(failure: TechnicalFailure) -> str:
    return ": ".join(part for part in (failure.where, failure.detail) if part)
