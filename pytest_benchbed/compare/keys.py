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

from pytest_benchbed.model.canonical import canonical_text
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
    listed = list(files)
    return {
        "inputs": inputs,
        "files": digest(sorted(map(list, listed))) if listed else _NO_FILES,
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
        self._benchmark = canonical_text(benchmark.id)
        self._judge = canonical_text(judge)
        self._tails = {
            profile: f',"profile":{canonical_text(profile)},'
            f'"scoring_version":{canonical_text(benchmark.scoring_version)}}}'
            for profile in benchmark.profiles
        }

    def of(self, case_id: str, parts: Mapping[str, str]) -> dict[str, str]:
        """Return the keys of one case by profile."""
        # Digests are plain words: a quote on either side is their JSON.
        head = (
            f'{{"answer":"{parts["answer"]}","benchmark":{self._benchmark},'
            f'"case_id":{canonical_text(case_id)},"files":"{parts["files"]}",'
            f'"inputs":"{parts["inputs"]}","judge":{self._judge}'
        )
        return {
            profile: sha256_hex((head + tail).encode("utf-8"))
            for profile, tail in self._tails.items()
        }
