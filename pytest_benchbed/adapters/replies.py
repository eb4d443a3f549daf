"""Replies of a host made into outcomes: shapes checked, secrets taken out.

Pure: a well-framed reply in, an :class:`~pytest_benchbed.model.outcome.Outcome`
or an exception out. What the child's own code would never send is a
:class:`Breach`: after it the host is killed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pytest_benchbed.adapters.frames import as_text
from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.reader import check_sizes
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.adapters.returned import OWN_KINDS
from pytest_benchbed.adapters.returned import SYSTEM_KINDS
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.errors import Whose
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.outcome import Outcome
from pytest_benchbed.model.usage import Usage

CHILD_KINDS = frozenset(
    {
        "exception", "import", "entry", "declaration", "constructor", "version", "drive",
        "not_json", "too_large", "no_prediction", "bad_usage", "bad_reply", "bad_retry",
    }
)  # fmt: skip
"""Technical kinds that the child reports of itself."""


class Breach(TechnicalFailure):
    """A reply broke the protocol; nothing that host says can be trusted."""

    def __init__(self, detail: str, where: str) -> None:
        """``where`` is the host's log."""
        super().__init__("protocol", term(detail), where=where)


class ReplyReader:
    """Reads the replies of one host. ``log`` names its log in every failure."""

    def __init__(self, redactor: Redactor, log: str) -> None:
        self._redactor = redactor
        self._log = log

    def outcome(self, reply: Mapping[str, Any], latency_s: float) -> Outcome:
        """Make an outcome of the reply to one call.

        Raises:
            TechnicalFailure: the adapter raised, or returned what cannot be taken.
            Breach: the reply has not its shape.
        """
        if "result" in reply:
            return self._answered(reply, latency_s)
        if "error" in reply:
            raise self.reported(reply["error"])
        if "unsupported" in reply:
            raise self.failure(
                "late_unsupported",
                "unsupported is accepted only before the call, from supports() or prepare()",
            )
        if "no_answer" in reply:
            reason = _member(reply["no_answer"], "reason", str)
            if reason is None:
                raise Breach("no_answer has no reason", self._log)
            return Outcome(
                "no-answer", error={"reason": self._redactor.text(reason)}, latency_s=latency_s
            )
        after_s = _member(reply["retry"], "after_s", (int, float))
        if after_s is None or after_s < 0:
            raise Breach("retry has no time", self._log)
        reason = _member(reply["retry"], "reason", str) or "no reason given"
        failure = self.failure("retry", f"asked to be asked again in {after_s:g} s: {reason}")
        return Outcome(
            "technical",
            error=self.error(failure),
            latency_s=latency_s,
            retry_after_s=float(after_s),
        )

    def plain(self, op: str, reply: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the reply to something that cannot be declined (``TechnicalFailure``)."""
        if "error" in reply:
            raise self.reported(reply["error"])
        if "no_answer" in reply or "retry" in reply:
            raise self.failure("bad_reply", f"{op} raised what only predict() may raise")
        return reply

    def info(self, reply: Mapping[str, Any]) -> AdapterInfo:
        """Return the declarations in a reply to ``describe`` or ``hello`` (``Breach``)."""
        try:
            info = AdapterInfo.from_reply(reply.get("result"))
        except ValueError as error:
            raise Breach(str(error), self._log) from None
        clean = self._redactor.text
        return replace(info, name=clean(info.name), version=clean(info.version))

    def supports(self, reply: Mapping[str, Any]) -> bool:
        """Return the answer to ``supports`` (``Breach``)."""
        if reply.get("unsupported") is True:
            return False
        if reply.get("result") is True:
            return True
        raise Breach("the reply to supports is neither true nor unsupported", self._log)

    def categories(self, outcome: Outcome) -> frozenset[str]:
        """Return what ``prepare`` said the system does not produce (``Breach``)."""
        values = json.loads(outcome.raw) if outcome.raw else []
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise Breach("the reply to prepare is no list of categories", self._log)
        return frozenset(values)

    def reported(self, trouble: Any) -> TechnicalFailure:
        """Return the failure that the child reports of itself."""
        kind = _member(trouble, "kind", str)
        name = _member(trouble, "type", str)
        message = _member(trouble, "message", str)
        if kind not in CHILD_KINDS | OWN_KINDS or name is None or message is None:
            return Breach("an error has no kind, type and message", self._log)
        # Words of ours may have two lines; in one they are read in a table too.
        message = " ".join(message.splitlines())
        whose: Whose = "scorer" if kind == "drive" else "adapter"
        return self.failure(kind, message, whose="system" if kind in SYSTEM_KINDS else whose)

    def failure(self, kind: str, detail: str, whose: Whose = "adapter") -> TechnicalFailure:
        """Return a failure whose text is redacted and escaped."""
        text = term(self._redactor.text(detail))
        return TechnicalFailure(kind, text, where=self._log, whose=whose)

    def error(self, failure: TechnicalFailure) -> dict[str, Any]:
        """Return the ``error`` of an outcome."""
        return {
            "kind": failure.kind,
            "where": failure.where or self._log,
            "detail": failure.detail,
            "whose": failure.whose,
        }

    def _answered(self, reply: Mapping[str, Any], latency_s: float) -> Outcome:
        row = reply.get("usage")
        try:
            if row is not None and not isinstance(row.get("cost_usd"), int | float | None):
                raise ValueError("usage: cost_usd must be a number or null")
            usage = Usage() if row is None else Usage.from_json(row)
        except (ValueError, TypeError, AttributeError) as error:
            raise Breach(str(error), self._log) from None
        reported = row is not None
        if usage.execution_failures:
            detail = f"{usage.execution_failures} calls failed and were not resolved"
            wrong = self.error(self.failure("execution_failures", detail))
            # The spend of a failed call counts all the same.
            return Outcome(
                "technical", error=wrong, usage=usage, reported=reported, latency_s=latency_s
            )
        check_sizes(reply["result"], self._log)
        raw = as_text(self._redactor.value(reply["result"]))
        return Outcome("ok", raw=raw, usage=usage, reported=reported, latency_s=latency_s)


def _member(row: Any, key: str, kind: Any) -> Any:
    """Return ``row[key]`` if it is of its type (a bool is no number), else None."""
    value = row.get(key) if isinstance(row, dict) else None
    return value if isinstance(value, kind) and not isinstance(value, bool) else None
