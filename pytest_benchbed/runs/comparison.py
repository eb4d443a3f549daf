"""Write ``comparison.jsonl``: each answer beside every compared run's prediction (ENV-096)."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json
from pytest_benchbed.runs.atomic import write_lines

Replies = Mapping[str, str]
"""Case id to a reply as JSON text, such as :class:`~pytest_benchbed.runs.read.Run` gives."""


def write_comparison(
    path: Path,
    cases: Iterable[str],
    answer: Callable[[str], Any],
    candidate: Replies,
    baseline: Replies | None = None,
    controls: Sequence[Replies] = (),
    *,
    is_canonical: bool = False,
    read: Container[str] = (),
) -> int:
    """Write one row per case, sorted by id, and return how many.

    A run without a readable reply for a case has null there. The keys
    ``baseline`` and ``controls`` are absent when no such run is compared. Case
    by case: no two answers or replies are in memory at once. ``is_canonical``: the
    candidate's replies are, because we wrote them (those of an executable). ``read``:
    cases whose reply passed the strict reader before, so that a plain one will do.

    Raises:
        RunError: the file cannot be written, or ``calls.jsonl`` of a run
            cannot be read any more; the old file is unchanged.
    """

    def rows() -> Iterable[bytes]:
        for case in sorted(set(cases)):
            # Keys in canonical order: baseline, candidate, controls.
            parts = [] if baseline is None else [b'"baseline":' + _text(baseline, case)]
            if is_canonical:
                text = _as_it_is(candidate, case)
            else:
                text = (_plainly if case in read else _text)(candidate, case)
            parts.append(b'"candidate":' + text)
            if controls:
                texts = b",".join(_text(control, case) for control in controls)
                parts.append(b'"controls":[%b]' % texts)
            yield b'{"answer":%b,"case":%b,"predictions":{%b}}' % (
                canonical(answer(case)),
                canonical(case),
                b",".join(parts),
            )

    return write_lines(path, rows())


def _text(replies: Replies, case: str) -> bytes:
    return canonical(prediction(replies, case))


def _plainly(replies: Replies, case: str) -> bytes:
    return canonical(from_json(replies[case], cache_strings="keys"))


def _as_it_is(replies: Replies, case: str) -> bytes:
    return replies.get(case, "null").encode("utf-8")


def prediction(replies: Replies, case: str) -> Any:
    """Return the prediction in a case's reply; None without a reply or if it is no JSON."""
    raw = replies.get(case)
    if raw is None:
        return None
    try:
        return read_json(raw)
    except MalformedJson:
        return None
