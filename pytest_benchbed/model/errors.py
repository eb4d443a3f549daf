"""What can go wrong, one class per kind of reader.

:class:`BenchbedError` and its children are mistakes a user can mend; their
text has three parts: what, where, what to do. :class:`TechnicalFailure` says
that the system, the adapter, the judge or the scorer broke: it is never a
score. :class:`NoAnswer` and :class:`Retry` are raised by adapters.
"""

from __future__ import annotations

from typing import Literal

Whose = Literal["system", "adapter", "judge", "scorer"]


class BenchbedError(Exception):
    """A mistake that a user can mend; the text says what, where and what to do."""


class UsageProblem(BenchbedError):
    """An option, a name or a combination that cannot work: exit status 4 (2 for ``benchbed``)."""


class NotAtHand(UsageProblem):
    """A run that a record names is nowhere to be found."""


class DatasetError(BenchbedError):
    """A dataset folder has a fault: ``file:line``, case id, cause and remedy are in the text."""


class RunError(BenchbedError):
    """A saved run cannot be read, or is not what was asked for."""


class RunRefused(RunError):
    """A run cannot be begun or gone on with: it exists, is in use, or its record is damaged.

    Nothing was spent for it: exit status 4.
    """


class TechnicalFailure(Exception):
    """The system, adapter, judge or scorer broke; the case has no score.

    It is deliberately no :class:`AssertionError`, so nothing can take it for a
    wrong answer. ``detail`` is text of the system under test: escape it before
    it is shown.
    """

    def __init__(
        self, kind: str, detail: str = "", *, where: str = "", whose: Whose = "adapter"
    ) -> None:
        """Keep the parts; ``detail`` is cut at 200 characters."""
        super().__init__(kind, where, detail)
        self.kind = kind
        self.where = where
        self.detail = detail[:200]
        self.whose: Whose = whose

    def __str__(self) -> str:
        parts = [part for part in (self.kind, self.where, self.detail) if part]
        return ": ".join(parts)


class NoAnswer(Exception):
    """Raise ``NoAnswer(reason)`` in an adapter when the system declined to answer.

    The case is scored: it has the one error ``no-answer`` in every profile.
    """


class Retry(Exception):
    """Raise ``Retry(after_s)`` in an adapter to be asked again after ``after_s`` seconds.

    The same attempt is repeated within the limits of the bench file
    (``retry``, ``rate``); when they are used up the case is a technical failure.
    """

    def __init__(self, after_s: float = 0.0, reason: str = "") -> None:
        """``after_s``: seconds, not negative."""
        super().__init__(after_s, reason)
        self.after_s = after_s
        self.reason = reason
