"""The parent's side of one Python adapter: start its process, ask it, end it.

No exception of an adapter comes out of here: what goes wrong in a call is an
:class:`~pytest_benchbed.model.outcome.Outcome` of state ``technical``. After a
crash, a hang or a breach of the protocol the host is dead (``is_alive``), its
process tree is gone, and the next case needs another host.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_benchbed.adapters.conversation import Conversation
from pytest_benchbed.adapters.conversation import NoReply
from pytest_benchbed.adapters.conversation import Reply
from pytest_benchbed.adapters.environment import child_environment
from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.process import Exit
from pytest_benchbed.adapters.process import Order
from pytest_benchbed.adapters.process import Process
from pytest_benchbed.adapters.process import inherited_number
from pytest_benchbed.adapters.process import start
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.adapters.replies import Breach
from pytest_benchbed.adapters.replies import ReplyReader
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.usage import Usage

HOST_MODULE = "pytest_benchbed.adapters.host"
EXIT_WAIT_S = 1.0


@dataclass(frozen=True, slots=True)
class PrepareReply:
    """What became of handing over one context."""

    skipped_categories: frozenset[str] = frozenset()
    """Categories the system says it does not produce."""
    usage: Usage = field(default_factory=Usage)
    reported: bool = False
    """Whether a usage was reported."""
    latency_s: float = 0.0
    queue_s: float = 0.0
    error: Mapping[str, Any] | None = None
    """``{kind, where, detail, whose}`` if it failed: technical for the cases of the context."""
    retry_after_s: float | None = None


class PythonHost:
    """One process of one Python adapter.

    ``slot`` names its logs, if no ``label`` does.
    ``jobs``: calls at once that it may have if the adapter takes several; None: as many
    as that takes.
    ``info`` is what another process of the adapter said at its start. Without it,
    and if the bench file does not say all that must be known before the start,
    :meth:`start` asks the class first.
    """

    def __init__(
        self,
        spec: AdapterSpec,
        *,
        slot: int = 0,
        log_dir: Path,
        scratch: Path,
        limits: Limits | None = None,
        info: AdapterInfo | None = None,
        label: str | None = None,
        jobs: int | None = None,
    ) -> None:
        self.spec = spec
        self.limits = limits or spec.limits
        self.info = info
        self.prepared: set[str] = set()
        """Contexts this process has taken in."""
        self._jobs = jobs
        self._label = label or f"slot-{slot}"
        self._log_dir = log_dir
        self._scratch = scratch
        self._process: Process | None = None
        self._talk: Conversation | None = None
        self._log = f"{log_dir.name}/{self._label}.stderr.log"
        self._replies = ReplyReader(Redactor(), self._log)

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._talk is not None and not self._talk.is_over

    def start(self) -> AdapterInfo:
        """Start the process, build the adapter, and return its declarations.

        What the bench file declares goes before what the class says.

        Raises:
            TechnicalFailure: it cannot be started, imported or built; by then
                nothing of it is left running.
            UsageProblem: a declared environment variable is unset or too short.
        """
        try:
            is_known = self.info is not None or _says_all(self.spec)
            self._launch()
            if not is_known:
                self._grant()
            question = {
                **self._entry(),
                "model": self.spec.model,
                "options": self.spec.options,
                "folders": [str(folder) for folder in self.spec.folders],
                "jobs": self._jobs,
            }
            reply = self._ask("hello", question, self.limits.start_s)
            info = self._replies.info(self._replies.plain("hello", reply.frame))
        except BaseException:
            self.kill()
            raise
        self.info = info.with_bench_file(self.spec)
        if info.is_shared and self._talk is not None:
            self._talk.turns.capacity = info.places(self._jobs)
        return self.info

    def _grant(self) -> None:
        """Ask what the class declares; start again if it needs what this process lacks.

        The first process has no variables but those the bench file names: what the
        class needs is only known once it was imported. Most need nothing, and heavy
        modules are then imported once.
        """
        reply = self._ask("describe", self._entry(), self.limits.start_s)
        described = self._replies.info(self._replies.plain("describe", reply.frame))
        needed = described.with_bench_file(self.spec)
        if needed.grants != AdapterInfo("").with_bench_file(self.spec).grants:
            self.kill()
            self.info = needed
            self._launch()

    def supports(self, benchmark: str) -> bool:
        """Ask whether the system does a benchmark at all.

        Raises:
            TechnicalFailure: it raised, hung, or did not answer True or False.
        """
        reply = self._ask("supports", {"benchmark": benchmark}, self.limits.call_s)
        try:
            return self._replies.supports(self._replies.plain("supports", reply.frame))
        except Breach as breach:
            self._mistrust(breach)
            raise

    def prepare(self, context: Mapping[str, Any], timeout_s: float) -> PrepareReply:
        """Hand over a context ``{id, benchmark, inputs, files}``; files are absolute paths."""
        outcome = self._call("prepare", {"case": dict(context)}, timeout_s)
        skipped: frozenset[str] = frozenset()
        if outcome.state == "no-answer":
            failure = self._replies.failure("bad_reply", "prepare() raised NoAnswer")
            outcome = replace(outcome, state="technical", error=self._replies.error(failure))
        if outcome.state == "ok":
            try:
                skipped = self._replies.categories(outcome)
                self.prepared.add(context["id"])
            except Breach as breach:
                self._mistrust(breach)
                outcome = replace(outcome, error=self._replies.error(breach))
        return PrepareReply(
            skipped_categories=skipped,
            usage=outcome.usage,
            reported=outcome.reported,
            latency_s=outcome.latency_s,
            queue_s=outcome.queue_s,
            error=outcome.error,
            retry_after_s=outcome.retry_after_s,
        )

    def predict(
        self, case: Mapping[str, Any], timeout_s: float, drive: str | None = None
    ) -> Outcome:
        """Ask one case ``{id, benchmark, inputs, files, context, attempt}``.

        Thread-safe: more calls than the adapter takes at once wait (``queue_s``), and
        ``timeout_s`` does not run meanwhile. Never raises for what the adapter does.
        """
        return self._call("predict", {"case": dict(case), "drive": drive}, timeout_s)

    def close(self) -> TechnicalFailure | None:
        """End it in good order, within the grace; then kill what is left.

        Returns what was wrong: ``close()`` raised or hung, something was sent
        after it, or processes were left running. None: nothing, or it was dead.
        """
        if self._talk is None or self._process is None or not self.is_alive:
            return None
        wrong: TechnicalFailure | None = None
        try:
            reply = self._ask("close", {}, self.limits.grace_s)
            self._replies.plain("close", reply.frame)
        except TechnicalFailure as failure:
            wrong = failure
        self._talk.hang_up()
        end_s = self.limits.grace_s + self.limits.linger_s
        if self._process.wait(end_s) is None:
            wrong = wrong or self._replies.failure(
                "left_running", f"its process was still running {end_s:g} s after close(); killed"
            )
            self._process.terminate()
            self._process.wait(self.limits.grace_s + EXIT_WAIT_S)
        self._talk.join(EXIT_WAIT_S)
        wrong = wrong or self._talk.failure
        ended = self.kill()
        if wrong is None and ended is not None and ended.left:
            wrong = self._replies.failure(
                "left_running",
                f"after close() {ended.left} of its processes were still running; killed",
            )
        return wrong

    def kill(self) -> Exit | None:
        """Kill the process tree now; open calls become technical. Returns how it ended."""
        stopped = TechnicalFailure("host_lost", "its process was stopped")
        if self._talk is not None:
            self._talk.blame(stopped)
        ended = self._process.kill() if self._process is not None else None
        if self._talk is not None:
            self._talk.end(stopped)
            self._talk.hang_up()
            self._talk.join(EXIT_WAIT_S)
        return ended

    def _launch(self) -> None:
        """Start the process with the declared grants, and the conversation with it."""
        info = (self.info or AdapterInfo("")).with_bench_file(self.spec)
        environment = child_environment(info.env, network=info.network, scratch=self._scratch)
        request_read, request_write = os.pipe()
        reply_read, reply_write = os.pipe()
        inherited = (request_read, reply_write)
        numbers = [str(inherited_number(fd)) for fd in inherited]
        order = Order(
            argv=[sys.executable, "-I", "-B", "-m", HOST_MODULE, *numbers],
            env=environment.variables,
            cwd=self._scratch,
            log_dir=self._log_dir,
            log_name=self._label,
            limits=self.limits,
            redactor=environment.redactor,
            fds=inherited,
        )
        self._replies = ReplyReader(environment.redactor, order.log)
        try:
            process = self._process = start(order)
        except BaseException:
            os.close(request_write)
            os.close(reply_read)
            raise
        finally:
            for fd in inherited:
                os.close(fd)
        self._talk = Conversation(
            request_write,
            reply_read,
            name=f"host-{self._label}",
            limit=self.limits.frame_bytes,
            explain=lambda: self._explain(process),
            stop=process.kill,
        )

    def _entry(self) -> dict[str, Any]:
        """Return what ``describe`` and ``hello`` must know to import the adapter."""
        folders = [self.spec.folder, *self.spec.pythonpath]
        return {
            "entry": {
                "path": str(self.spec.path),
                "module": self.spec.module,
                "attribute": self.spec.attribute,
                "pythonpath": [str(folder) for folder in folders if folder is not None],
            },
            "frame_bytes": self.limits.frame_bytes,
        }

    def _ask(self, op: str, body: Mapping[str, Any], timeout_s: float) -> Reply:
        if self._talk is None:
            raise TechnicalFailure("host_lost", "its process was not started")
        try:
            return self._talk.ask(op, body, timeout_s)
        except TechnicalFailure as failure:
            failure.where = failure.where or self._log
            raise

    def _call(self, op: str, body: Mapping[str, Any], timeout_s: float) -> Outcome:
        """Ask, and make an outcome of everything that can come of it."""
        started = time.monotonic()
        try:
            reply = self._ask(op, body, timeout_s)
            outcome = self._replies.outcome(reply.frame, reply.latency_s)
            return replace(outcome, queue_s=reply.queue_s) if reply.queue_s else outcome
        except TechnicalFailure as failure:
            if isinstance(failure, Breach):
                self._mistrust(failure)
            latency_s, queue_s = time.monotonic() - started, 0.0
            if isinstance(failure, NoReply):
                latency_s, queue_s = failure.latency_s, failure.queue_s
            return Outcome(
                "technical",
                error=self._replies.error(failure),
                latency_s=latency_s,
                queue_s=queue_s,
            )

    def _mistrust(self, breach: Breach) -> None:
        """Kill a host whose replies cannot be trusted."""
        if self._talk is not None:
            self._talk.blame(breach)
        self.kill()

    def _explain(self, process: Process) -> TechnicalFailure:
        """Say why the replies ended; called by the thread of the conversation."""
        ended = process.wait(self.limits.linger_s + EXIT_WAIT_S)
        if ended is None:
            process.kill()
            return self._replies.failure("crash", "it closed its pipe and kept running; killed")
        kind = "output_flood" if ended.cause == "output_flood" else "crash"
        return self._replies.failure(
            kind, f"its process ended before it replied: {ended.describe()}"
        )


def _says_all(spec: AdapterSpec) -> bool:
    """Say whether the bench file leaves nothing open that must be known before the start."""
    return None not in (spec.env, spec.network, spec.reads, spec.allow)
