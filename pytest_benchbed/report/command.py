"""Commands to paste, built from the record of a saved run.

What was typed is typed again: ``run.json: argv`` says how the adapter, the
dataset and the baseline were named, which the record's own names need not say
(an adapter called ``acme`` may be ``tools/acme.py:Acme``). What came from a
bench file, an ini key or ``addopts`` comes from there again.

A command is one line for a POSIX shell, whatever the values hold.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import CASE_ID
from pytest_benchbed.model.run import RunRecord

SYSTEM = (
    "--bench-dataset",
    "--bench-adapter",
    "--bench-adapter-option",
    "--bench-model",
    "--bench-runs-dir",
    "--bench-timeout",
    "--bench-isolation",
)
"""Which system is asked, about what, and where it is written."""
PAIRING = ("--baseline", "--bench-control", "--bench-unpaired")
JUDGING = ("--bench-gate", "--bench-rule")
EFFORT = ("--bench-jobs", "--bench-budget", "--bench-repeats", "-n")
PYTEST = ("-c", "--rootdir", "--confcutdir", "-p", "-o")
"""What decides which plugins and settings pytest finds."""

_FLAGS = frozenset({"--bench-unpaired", "--bench-require-gate", "--bench-list"})
_ALIASES = {
    "--bench-baseline": "--baseline",
    "--config-file": "-c",
    "--override-ini": "-o",
    "--numprocesses": "-n",
}
_SHORT = ("-c", "-p", "-o", "-n")
_REDACTED = re.compile(r"\[([A-Za-z_][A-Za-z0-9_]*)\]")
_PLAIN_BYTE = re.compile(rb"[A-Za-z0-9_.,/:=@-]")


@dataclass(frozen=True, slots=True)
class Typed:
    """One option as it was typed."""

    name: str
    """Its one spelling, such as ``--baseline``."""
    value: str | None
    """None for a flag."""


def typed_options(argv: Sequence[str]) -> list[Typed]:
    """Return the options of a command line that matter here, in order; the rest is left out."""
    known = {*SYSTEM, *PAIRING, *JUDGING, *EFFORT, *PYTEST, *_FLAGS}
    known |= {"--bench", "--bench-select", "--bench-target", "--bench-shard"}
    options = []
    waiting = iter(argv)
    for word in waiting:
        if word.startswith("--"):
            name, equals, value = word.partition("=")
        else:
            name, value = word[:2], word[2:]
            equals = value
            if name not in _SHORT:
                continue
        name = _ALIASES.get(name, name)
        if name not in known:
            continue
        if name in _FLAGS:
            options.append(Typed(name, None))
        else:
            options.append(Typed(name, value if equals else next(waiting, "")))
    return options


def case_command(record: RunRecord, case: str) -> str:
    """Return the command that runs one case again as it ran in this run."""
    return _line(
        record,
        [Typed("--bench-select", f"case={case}")],
        keep=(*SYSTEM, *PAIRING, *JUDGING, *PYTEST),
    )


def whole_command(
    record: RunRecord,
    *,
    baseline: str | None = None,
    controls: Sequence[str] = (),
    run_id: str | None = None,
    is_unpaired: bool = False,
    rule: str | None = None,
) -> str:
    """Return the command for all cases of the run's scope.

    ``baseline`` and ``controls`` replace what the run was compared with, ``rule``
    the one that was typed; with ``is_unpaired`` the new run is compared with nothing.
    """
    keep: tuple[str, ...] = (*SYSTEM, *JUDGING, *EFFORT, *PYTEST)
    added = [option for option in _typed(record, ("--bench-select",)) if not _names_case(option)]
    if baseline is not None:
        added.append(Typed("--baseline", baseline))
        added += [Typed("--bench-control", control) for control in controls]
    elif is_unpaired:
        added.append(Typed("--bench-unpaired", None))
    else:
        keep += PAIRING
    if not is_unpaired:
        keep += ("--bench-target", "--bench-require-gate")
    if rule is not None:
        keep = tuple(name for name in keep if name != "--bench-rule")
        added.append(Typed("--bench-rule", rule))
    if run_id is not None:
        added.append(Typed("--bench-run", run_id))
    return _line(record, added, keep=keep)


def resume_command(record: RunRecord, *, is_over_budget: bool = False) -> str:
    """Return the command that goes on with the run, or asks its technical failures again.

    ``is_over_budget``: the budget typed before is left out, since it is used up.
    """
    keep: tuple[str, ...]
    keep = (*SYSTEM, *PAIRING, *JUDGING, *EFFORT, *PYTEST, "--bench-target", "--bench-shard")
    if is_over_budget:
        keep = tuple(name for name in keep if name != "--bench-budget")
    added = _typed(record, ("--bench-select",))
    return _line(record, [*added, Typed("--bench-resume", record.id)], keep=keep)


def typed_command(record: RunRecord) -> str:
    """Return the command line of the run as it was typed; secrets stay replaced by their names."""
    return " ".join(["pytest", *(shell_word(word) for word in record.argv)])


def shell_word(text: str) -> str:
    """Quote one word for a POSIX shell so that the command stays one printable line."""
    if term(text, len(text)) == text:
        return shlex.quote(text)
    octal = (
        chr(byte) if _PLAIN_BYTE.match(bytes([byte])) else f"\\{byte:03o}"
        for byte in text.encode("utf-8", "surrogateescape")
    )
    return f"\"$(printf '{''.join(octal)}')\""


def _line(record: RunRecord, added: Iterable[Typed], *, keep: Collection[str]) -> str:
    words = ["pytest", f"--bench={shell_word(record.benchmark.id)}"]
    kept = [option for option in _typed(record, keep) if not _is_for_another(option, record)]
    ours = [option for option in kept if option.name not in PYTEST]
    theirs = [option for option in kept if option.name in PYTEST]
    for option in (*added, *ours, *theirs):
        words += _words(option, record)
    return " ".join(words)


def _typed(record: RunRecord, names: Collection[str]) -> list[Typed]:
    return [option for option in typed_options(record.argv) if option.name in names]


def _names_case(option: Typed) -> bool:
    return (option.value or "").strip().startswith("case=")


def _is_for_another(option: Typed, record: RunRecord) -> bool:
    """Say whether a ``NAME=DATASET`` belongs to another benchmark of the session."""
    name, equals, _ = (option.value or "").partition("=")
    return (
        option.name == "--bench-dataset"
        and bool(equals)
        and CASE_ID.fullmatch(name) is not None
        and name != record.benchmark.id
    )


def _words(option: Typed, record: RunRecord) -> list[str]:
    if option.value is None:
        return [option.name]
    value = _secret(option, record) or shell_word(option.value)
    if option.name.startswith("--"):
        return [f"{option.name}={value}"]
    return [option.name, value]


def _secret(option: Typed, record: RunRecord) -> str | None:
    """Return the shell's own name for a value that was replaced by ``[NAME]`` in the record.

    A list of one word looks the same in ``argv``, but not in the options read from it.
    """
    if option.name != "--bench-adapter-option" or option.value is None:
        return None
    key, _, value = option.value.partition("=")
    redacted = _REDACTED.fullmatch(value)
    if redacted is None or record.adapter.options.get(key) != value:
        return None
    return f'{shell_word(key)}="${redacted.group(1)}"'
