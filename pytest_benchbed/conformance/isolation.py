"""Rules of isolation: what the system is shown, and what happens to one that knows more."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from pytest_benchbed.conformance.nested import Nested
from pytest_benchbed.conformance.nested import run_with_predictions
from pytest_benchbed.conformance.subject import Subject
from pytest_benchbed.data.answers import ANSWERS_FILE
from pytest_benchbed.data.pin import pin
from pytest_benchbed.model.canonical import canonical

_CANARY = "be7c4bed" * 4
"""Planted in a copy of the answers where the dataset has no token of its own."""


def fixture_run(subject: Subject) -> Nested:
    """Return the run that three rules look at: right answers, and ``wrong.json`` where it has one.

    Fails the test if there is no written run.
    """
    nested = subject.fixture_run
    if nested.run is None or nested.run.record.status not in ("completed", "void"):
        subject.broken(
            "a run over the dataset ends and is written",
            nested.last_lines() or [f"exit status {nested.exit_code}"],
            f"benchbed validate {subject.registered.root}",
        )
    return nested


def request_holds_no_answer(subject: Subject) -> None:
    """Search the request of a whole run for the canary and for the way to the answers."""
    run = fixture_run(subject).run
    assert run is not None
    text = run.paths.request.read_text(encoding="utf-8")
    findings = []
    if run.record.dataset.canary == "found":
        findings.append("the canary is on the system's side: in a request, a reply or a log")
    for what, needle in (
        ("the canary", subject.answers.canary),
        ("the name of the answer file", ANSWERS_FILE),
        ("the path of the dataset", str(subject.registered.root)),
    ):
        if needle and json.dumps(needle)[1:-1] in text:
            case = next(
                (one["id"] for one in json.loads(text)["cases"] if needle in json.dumps(one)), None
            )
            place = f"case {case}" if case else "the request"
            findings.append(f"{place}: the request of the run holds {what}")
    if findings:
        subject.broken(
            "no answer reaches the system",
            findings,
            "take it out of inputs: answers, tokens and paths to them stay in answers.jsonl",
        )


def canary_voids_the_run(subject: Subject, folder: Path) -> None:
    """Let a system return the token of the answers."""
    case = subject.dataset.ids[0]
    canary = subject.answers.canary
    root = subject.registered.root
    if canary is None:
        canary, root = _CANARY, _planted(subject, folder / "planted")
    seen = {case: {"seen": canary}}
    nested = run_with_predictions(subject, folder, seen, [case], root)
    run = nested.run
    status = None if run is None else run.record.status
    if status != "void" or nested.exit_code != 1:
        subject.broken(
            "a prediction that holds the canary voids the run",
            [f"case {case}: run {status}, exit status {nested.exit_code}", *nested.last_lines()],
            "the canary of the dataset is one token of 32 hex digits, the same in every answer",
        )


def _planted(subject: Subject, folder: Path) -> Path:
    """Return a copy of the dataset whose answers have a token."""
    shutil.copytree(subject.registered.root, folder, copy_function=shutil.copyfile)
    file = folder / ANSWERS_FILE
    rows = [json.loads(line) for line in file.read_bytes().splitlines() if line.strip()]
    file.write_bytes(b"".join(canonical({**row, "canary": _CANARY}) + b"\n" for row in rows))
    pin(folder, bump=True)
    return folder
