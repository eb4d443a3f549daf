"""Answers that stand where the system sees them."""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from pytest_benchbed.data.faults import quoted
from pytest_benchbed.data.rows import ANSWER_KEYS
from pytest_benchbed.model.canonical import canonical

NO_ANSWER = object()
"""There is no answer to compare with."""


def find_leaks(inputs: Mapping[str, Any], answer: Any, declared: Collection[str]) -> Iterator[str]:
    """Yield causes: places in ``inputs`` that hold an answer.

    At the top a key ``answer``, ``answers`` or ``expected`` is one, unless the
    benchmark type declares it as an input (an answer to be verified may be
    one). Further down such a key is one only if its value is the case's whole
    answer: source records copied as they are have many keys.
    """
    for key in inputs:
        if key.lower() in ANSWER_KEYS and key not in declared:
            yield f"the inputs hold an answer (key {quoted(key)})"
    truth = None if answer is NO_ANSWER else canonical(answer)
    stack = list(inputs.values())
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack.extend(value)
        elif isinstance(value, dict):
            for key, item in value.items():
                if key.lower() in ANSWER_KEYS and canonical(item) == truth:
                    yield f"the inputs hold the answer of the case (key {quoted(key)})"
                stack.append(item)
