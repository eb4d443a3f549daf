"""Rules over broken output of an executable system: never a wrong answer, never a pass."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from pytest_benchbed.conformance.nested import run_adapter
from pytest_benchbed.conformance.subject import Subject

_SCRIPT = """#!{python}
import json
import os
import sys

words = sys.argv[1:]
output = words[words.index("--output") + 1]
with open(words[words.index("--request") + 1], encoding="utf-8") as file:
    request = json.load(file)
with open({text!r}, encoding="utf-8") as file:
    text = file.read()
with open(os.path.join(output, "predictions.json"), "w", encoding="utf-8") as file:
    file.write(text)
result = {{
    "id": request["benchmark"], "status": "completed", "format": request["format"],
    "data": "predictions.json",
    "systems": [{{"role": "candidate", "model": "m", "cost_usd": 0, "execution_failures": 0,
                 "unpriced_attempts": 0}}],
}}
with open(os.path.join(output, "adapter-result.json"), "w", encoding="utf-8") as file:
    json.dump(result, file)
"""


class _Fault(NamedTuple):
    text: str
    """The predictions file: ``{first}`` and ``{second}`` stand for ``"id": prediction``."""
    is_of_run: bool
    """Whether all cases are lost, or the first one alone."""
    says: str


_FAULTS = {
    "malformed": _Fault("{{{first}, {second}", True, "is no JSON"),
    "duplicate": _Fault("{{{first}, {first}, {second}}}", True, "holds a case twice"),
    "missing": _Fault("{{{second}}}", False, "lacks the first case"),
    "extra": _Fault('{{{first}, {second}, "another-1": {{}}}}', True, "holds a case not asked"),
    "null": _Fault("{{{id}: null, {second}}}", False, "holds null for the first case"),
}
FAULTS = tuple(_FAULTS)


def is_technical(subject: Subject, fault: str, folder: Path) -> None:
    """Run two cases with an executable whose predictions file has this fault."""
    if sys.platform == "win32":
        pytest.skip("a script starts by its first line only on POSIX")
    cases = list(subject.own)[:2]
    if len(cases) < 2:
        pytest.skip(f"not judged: {subject.registered.id} has fewer than two answers to repeat")
    kind = _FAULTS[fault]
    first, second = (f"{json.dumps(case)}: {json.dumps(subject.own[case])}" for case in cases)
    text = folder / "text"
    ident = json.dumps(cases[0])
    text.write_text(
        kind.text.format(first=first, second=second, id=ident), encoding="utf-8", newline="\n"
    )
    script = folder / "system"
    script.write_bytes(_SCRIPT.format(python=sys.executable, text=str(text)).encode("utf-8"))
    script.chmod(0o700)
    nested = run_adapter(subject, folder, str(script), cases)
    lost = set(cases) if kind.is_of_run else {cases[0]}
    run = nested.run
    states = {} if run is None else {row["case"]: row["state"] for row in run.results()}
    expected = {case: "technical" if case in lost else "scored" for case in cases}
    whose = {failure.whose for failure in run.record.technical} if run is not None else set()
    if states != expected or nested.exit_code != 1 or "adapter" not in whose or len(whose) > 1:
        findings = [
            f"case {case}: {states.get(case, 'without a result')}, not {state}"
            for case, state in expected.items()
            if states.get(case) != state
        ]
        subject.broken(
            f"output that {kind.says} is a technical failure of the adapter",
            [*findings, f"exit status {nested.exit_code}", *nested.last_lines()],
            "let prediction_model refuse by ValueError only, and score_case take what it accepts",
        )
