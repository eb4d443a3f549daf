"""``benchbed init NAME --update --from=FILE``: rows that were added or changed since.

Rows are matched by the id they had in the table. What the table no longer has
stays: a case leaves a dataset by being retired, with a reason. What is about to
change is shown first; then the version is raised, and the promoted runs follow.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.cli.init import PLAIN_TYPE
from pytest_benchbed.cli.init import Echo
from pytest_benchbed.cli.init import InitChoice
from pytest_benchbed.cli.init import check_answers
from pytest_benchbed.cli.init import import_lines
from pytest_benchbed.cli.init import open_table
from pytest_benchbed.cli.init_files import rows_text
from pytest_benchbed.cli.pin import PinOptions
from pytest_benchbed.cli.pin import follow
from pytest_benchbed.cli.pin import run_bump
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import names
from pytest_benchbed.data.answers import ANSWERS_FILE
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import CASES_FILE
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.data.replace import replace_file
from pytest_benchbed.data.tables.cases import Imported
from pytest_benchbed.data.tables.cases import import_rows
from pytest_benchbed.data.tables.mapping import check_mapping
from pytest_benchbed.data.undo import Undo
from pytest_benchbed.data.undo import undone_unless_pinned
from pytest_benchbed.data.verify import verify_digests
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.runs.bench_files import load_bench_file

Row = dict[str, Any]


@dataclass(frozen=True)
class Update:
    """What a table changes in a dataset."""

    cases: dict[str, Row]
    answers: dict[str, Row]
    added: list[str]
    other_inputs: list[str]
    other_answers: list[str]
    other_groups: list[str]
    absent: list[str]
    """Cases that the table does not have; they stay as they are."""
    kept: dict[str, str]
    """Files that are not made anew, by path, with their digests."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing changes."""
        return not (self.added or self.other_inputs or self.other_answers or self.other_groups)

    def lines(self) -> Iterator[str]:
        """Yield what changes."""
        yield f"added {_some(self.added)}"
        yield f"inputs changed {_some(self.other_inputs)}"
        yield f"answers changed {_some(self.other_answers)}"
        if self.other_groups:
            yield f"groups changed {_some(self.other_groups)}"
        if self.absent:
            yield f"not in the table, kept {_some(self.absent)}"


def run_update(
    config: pytest.Config,
    registries: Registries,
    choice: InitChoice,
    echo: Echo,
    ask: Callable[[str], bool] | None,
) -> int:
    """Take the rows of a table into a dataset that was made of it; return as ``benchbed pin``.

    Args:
        config: of the command.
        registries: what is registered; the dataset is among it.
        choice: what was typed; the columns must be named.
        echo: prints a line.
        ask: asks before anything is written; None: nobody is asked.

    Raises:
        UsageProblem: no such dataset, or columns that are not named.
        DatasetError: rows of the table are broken; nothing was written.
    """
    if choice.source is None or choice.id is None or not choice.says_all:
        raise UsageProblem(
            "--update needs the columns it was made of: --from=FILE --id=COLUMN --input=COLUMN "
            "--answer=COLUMN, as they were given before."
        )
    found = registries.datasets.for_benchmark(choice.name)
    if len(found) != 1:
        known = ", ".join(entry.id for entry in found) or "none"
        raise UsageProblem(
            f"benchmark {choice.name!r} must have one dataset to update; it has: {known}.\n"
            f"Make one with: benchbed init {choice.name} --from=FILE"
        )
    table = open_table(choice.source)
    for note in table.notes:
        echo(f"note: {note}")
    mapping = choice.mapping
    check_mapping(table, mapping)
    bench_file = registries.bench_files.get(choice.name)
    kind = None if bench_file is None else load_bench_file(bench_file).type
    root = found[0].root
    _finish_former(config, registries, root, echo)

    def take_in(kept: dict[str, str]) -> tuple[Imported, Update]:
        made = import_rows(
            table,
            mapping,
            may_skip=choice.skip_empty,
            is_plain=kind == PLAIN_TYPE,
            kept=kept,
        )
        return made, _update(root, made, is_grouped=mapping.group is not None)

    made, update = take_in({})
    if any(made.digests.get(path, digest) != digest for path, digest in update.kept.items()):
        # A new file has the name of one that a case keeps which the table no longer has.
        made, update = take_in(update.kept)
    if kind is not None:
        check_answers(kind, table, mapping, made)
    for line in [*import_lines(mapping, made, table), *update.lines()]:
        echo(line)
    if update.is_empty:
        echo("nothing to update, no file was written")
        return 0
    if ask is not None and not ask("Write this?"):
        echo("nothing was written")
        return 2
    options = PinOptions(root, None, None, None)
    with undone_unless_pinned(root, [*made.copies, CASES_FILE, ANSWERS_FILE]):
        _write(root, made, update)
        # What changed has been said, better than a manifest knows it.
        return run_bump(config, registries, options, echo, is_told=True)


def _update(root: Path, made: Imported, *, is_grouped: bool) -> Update:
    dataset, answers = Dataset.open(root), Answers.open(root)
    verify_digests(dataset, answers)
    index = dataset.case_index
    old_cases = {name: row for _, name, row in index.known_rows()}
    old_answers = {name: row for _, name, row in answers.index.known_rows()}
    by_raw = {str((row.get("meta") or {}).get("id", name)): name for name, row in old_cases.items()}
    raw_ids = {case: raw for raw, case in made.renamed.items()}
    canary = answers.canary
    cases, truths = dict(old_cases), dict(old_answers)
    update = Update(cases, truths, [], [], [], [], [], {})
    pins = {pin.path: pin.sha256 for pin in dataset.manifest.files}
    seen: set[str] = set()
    taken = {name.casefold() for name in old_cases}
    for new, truth in zip(made.cases, made.answers, strict=True):
        name = by_raw.get(raw_ids.get(new["id"], new["id"]))
        if name is None:
            name = _free(new["id"], taken)
            update.added.append(name)
        seen.add(name)
        old = old_cases.get(name, {})
        # Category and tags were given by hand, and stay; so does a group, unless a column has it.
        from_table = {"files", "meta", *(["group"] if is_grouped else [])}
        by_hand = {key: value for key, value in old.items() if key not in from_table}
        cases[name] = {**by_hand, **new, "id": name}
        raw = raw_ids.get(new["id"], new["id"])
        if raw != name:
            cases[name]["meta"] = {**(new.get("meta") or {}), "id": raw}
        if old and (
            (old["inputs"], old.get("files")) != (new["inputs"], new.get("files"))
            or any(pins.get(path) != made.digests[path] for path in new.get("files") or ())
        ):
            update.other_inputs.append(name)
        if old and old.get("group") != cases[name].get("group"):
            update.other_groups.append(name)
        truths[name] = {"id": name, "answer": truth["answer"]}
        if canary is not None:
            truths[name]["canary"] = canary
        if old and old_answers[name].get("answer") != truth["answer"]:
            update.other_answers.append(name)
    update.absent.extend(name for name in old_cases if name not in seen)
    made_anew = {path for name in seen for path in old_cases.get(name, {}).get("files") or ()}
    kept = {path for name in update.absent for path in old_cases[name].get("files") or ()}
    update.kept.update(
        (path, digest) for path, digest in pins.items() if path in kept or path not in made_anew
    )
    return update


def _free(name: str, taken: set[str]) -> str:
    made, at = name, 2
    while made.casefold() in taken:
        made, at = f"{name[:95]}-{at}", at + 1
    taken.add(made.casefold())
    return made


def _write(root: Path, made: Imported, update: Update) -> None:
    for path, source in made.copies.items():
        (root / path).parent.mkdir(exist_ok=True)
        shutil.copyfile(source, root / path)
    replace_file(root / CASES_FILE, rows_text(update.cases.values()))
    replace_file(root / ANSWERS_FILE, rows_text(update.answers.values()))


def _finish_former(config: pytest.Config, registries: Registries, root: Path, echo: Echo) -> None:
    """Make good an update that was killed: take it back, or end it if its manifest is there."""
    undo = Undo(root)
    if not undo.is_left:
        return
    if undo.is_done:
        echo("note: the last update was cut short after its manifest was written; it ends now")
        for line in follow(config, registries, root):
            echo(line)
    else:
        undo.roll_back()
        echo("note: the last update was cut short and is taken back first")
    undo.forget()


def _some(ids: list[str]) -> str:
    return f"{count(len(ids), 'case')} {names(ids)}" if ids else "0"
