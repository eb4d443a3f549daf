"""Comparability keys: two results of one case may be compared only if their keys are equal.

A key binds a result to what was asked (inputs, files), what was right (the
answer) and how it was judged (type, scoring version, profile, judge). It is
made of digests, so that runs are paired, and later re-keyed, without opening
an answer. Never of a node id, a line number or a file's name in the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Protocol

from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.canonical import sha256_hex

PARTS = ("inputs", "files", "answer")
"""What ``key_parts`` of a row holds."""


_NO_FILES = digest([])


class Keyed(Protocol):
    """What a key takes from a benchmark type."""

    @property
    def id(self) -> str:
        """The type's id."""

    @property
    def scoring_version(self) -> str:
        """Its scoring version."""

    @property
    def profiles(self) -> Sequence[str]:
        """Its profiles."""


def key_parts(inputs: str, files: Iterable[Sequence[str]], answer: str) -> dict[str, str]:
    """Return the ``key_parts`` of a row.

    Args:
        inputs: digest of the case's inputs (and its context's).
        files: (path, SHA-256) of each file the case names, in any order.
        answer: digest of the canonical answer.
    """
    listed = sorted(map(list, files))
    return {
        "inputs": inputs,
        "files": digest(listed) if listed else _NO_FILES,
        "answer": answer,
    }


class CaseKeys:
    """Keys of many cases of one type.

    A key is the digest of one object: benchmark, scoring version, profile, case
    id, judge and the three parts. What all cases share is encoded once, which
    takes a quarter of the time.
    """

    def __init__(self, benchmark: Keyed, judge: Any = None) -> None:
        """``judge``: the judge's identity, or None."""
        self._benchmark = canonical(benchmark.id)
        self._judge = canonical(judge)
        self._tails = {
            profile: b',"profile":%b,"scoring_version":%b}'
            % (canonical(profile), canonical(benchmark.scoring_version))
            for profile in benchmark.profiles
        }

    def of(self, case_id: str, parts: Mapping[str, str]) -> dict[str, str]:
        """Return the keys of one case by profile."""
        answer = parts["answer"].encode("ascii")
        files = parts["files"].encode("ascii")
        inputs = parts["inputs"].encode("ascii")
        # Digests are plain words: a quote on either side is their JSON.
        form = b'{"answer":"%b","benchmark":%b,"case_id":%b,"files":"%b","inputs":"%b","judge":%b'
        head = form % (answer, self._benchmark, canonical(case_id), files, inputs, self._judge)
        return {profile: sha256_hex(head + tail) for profile, tail in self._tails.items()}
