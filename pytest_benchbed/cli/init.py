"""``benchbed init NAME --from=FILE``: a benchmark out of a table that somebody has.

Flags that say everything are obeyed without a question. Otherwise the likely
mapping is shown with examples: at a terminal it is asked for, elsewhere the
command that says it is printed. Nothing is written before everything is right.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchbed.cli.init_files import adapter_stub
from pytest_benchbed.cli.init_files import bench_text
from pytest_benchbed.cli.init_files import ignore_runs
from pytest_benchbed.cli.init_files import rows_text
from pytest_benchbed.cli.init_files import workflow
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.data.answers import ANSWERS_FILE
from pytest_benchbed.data.dataset import CASES_FILE
from pytest_benchbed.data.faults import refuse
from pytest_benchbed.data.pin import pin
from pytest_benchbed.data.replace import replace_file
from pytest_benchbed.data.tables.cases import Imported
from pytest_benchbed.data.tables.cases import import_rows
from pytest_benchbed.data.tables.hub import PREFIX
from pytest_benchbed.data.tables.hub import read_hub
from pytest_benchbed.data.tables.mapping import Mapping
from pytest_benchbed.data.tables.mapping import check_mapping
from pytest_benchbed.data.tables.mapping import column_lines
from pytest_benchbed.data.tables.mapping import guess
from pytest_benchbed.data.tables.mapping import near_ids
from pytest_benchbed.data.tables.mapping import parts_read
from pytest_benchbed.data.tables.read import Table
from pytest_benchbed.data.tables.read import read_table
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import is_case_id
from pytest_benchbed.report.command import shell_word

TYPES = ("label", "text", "fields", "facts")
PLAIN_TYPE = "facts"
"""A single answer is not put into an object: a text, a list or an object says what it asserts."""
VERSION = "v1"
_SHOWN = 5

Echo = Callable[[str], None]


@dataclass(frozen=True)
class InitChoice:
    """What was typed; empty: to be found out."""

    name: str
    source: str | None
    """Path of a table, or ``hf:ID`` of a dataset on the Hugging Face hub."""
    id: str | None
    inputs: Sequence[str]
    files: Sequence[str]
    answers: Sequence[str]
    type: str | None
    group: str | None = None
    skip_empty: bool = False
    visibility: str = "private"
    ci: str | None = None

    @property
    def says_all(self) -> bool:
        """Whether the columns need not be asked for."""
        return bool(self.answers and (self.inputs or self.files))

    @property
    def mapping(self) -> Mapping:
        """What was typed about the columns."""
        return Mapping(
            self.id, tuple(self.inputs), tuple(self.files), tuple(self.answers), self.group
        )


def run_init(choice: InitChoice, root: Path, echo: Echo, ask: Callable[[str], bool] | None) -> int:
    """Write the benchmark below ``root``; return 0, or 2 if the columns have to be named.

    Args:
        choice: what was typed.
        root: folder of the repository; ``cases/`` is made in it.
        echo: prints a line.
        ask: asks yes or no at a terminal; None: nobody is there to be asked.

    Raises:
        UsageProblem: something that was typed is not valid; nothing was written.
        DatasetError: rows of the table are broken; nothing was written.
    """
    if not is_case_id(choice.name):
        raise UsageProblem(
            f"{choice.name[:80]!a} is no name of a benchmark: letters, digits, dots and dashes."
        )
    if choice.source is None and choice.ci is None:
        raise UsageProblem("nothing to do: name a table with --from=FILE, or --ci=github|gitlab.")
    if choice.source is not None:
        code = _import(choice, choice.source, root, echo, ask)
        if code:
            return code
    if choice.ci is not None:
        for line in workflow(choice.name, choice.ci, root):
            echo(line)
    return 0


def _import(
    choice: InitChoice,
    source: str,
    root: Path,
    echo: Echo,
    ask: Callable[[str], bool] | None,
) -> int:
    if choice.type is not None and choice.type not in TYPES:
        raise UsageProblem(f"unknown type {choice.type[:80]!a}. Known: {', '.join(TYPES)}.")
    bench = root / "cases" / choice.name
    if (bench / VERSION).exists() or (bench / "bench.json").exists():
        raise UsageProblem(
            f"{bench} exists already, so nothing was written. Choose another name, or remove it."
        )
    table = open_table(source)
    for note in table.notes:
        echo(f"note: {note}")
    mapping = choice.mapping
    if not choice.says_all:
        mapping = _completed(table, mapping)
        echo(f"{term(source, 200)}: {count(len(table.lines), 'row')}, and its columns look like:")
        for line in column_lines(table, mapping):
            echo(line)
        if mapping.id is None and (why := near_ids(table)):
            echo(f"note: {why}; without --id=COLUMN cases are numbered")
        if ask is None or not ask("Is that right?"):
            echo(f"Say which column is what, such as: {_command(choice, mapping)}")
            return 2
    check_mapping(table, mapping)
    made = import_rows(
        table, mapping, may_skip=choice.skip_empty, is_plain=choice.type == PLAIN_TYPE
    )
    kind = choice.type or _type(mapping, made)
    check_answers(kind, table, mapping, made)
    try:
        lines = _write(choice, kind, made, bench, root)
    except OSError as error:
        raise UsageProblem(
            f"{error.filename or bench}: cannot be written: {error.strerror}."
        ) from None
    for line in [
        *lines,
        *import_lines(mapping, made, table),
        f"next: pytest --bench={choice.name}",
    ]:
        echo(line)
    return 0


def check_answers(kind: str, table: Table, mapping: Mapping, made: Imported) -> None:
    """Refuse answers that the type cannot read.

    Raises:
        DatasetError: with line and column.
    """
    if kind != PLAIN_TYPE:
        # Made of columns, an answer is an object that holds something: all others take that.
        return
    from pytest_benchbed.benchmarks.generic.make import make_type
    from pytest_benchbed.benchmarks.prediction import misfit

    model = make_type("table", kind, {}).answer_model
    assert model is not None, "every generic type has one"
    column = mapping.answers[0] if len(mapping.answers) == 1 else None
    remedy = f"Correct it, or choose another --type than {kind}."
    faults = [
        table.fault(line, column, f"the answer does not fit: {term(why, 160)}", remedy)
        for line, row in zip(made.lines, made.answers, strict=True)
        if (why := misfit(model, row["answer"])) is not None
    ]
    if faults:
        raise refuse(faults)


def open_table(source: str) -> Table:
    """Read the table that was named.

    Raises:
        UsageProblem: there is none.
        DatasetError: it is broken.
    """
    return read_hub(source) if source.startswith(PREFIX) else read_table(Path(source))


def _completed(table: Table, typed: Mapping) -> Mapping:
    """Return the mapping with what was not typed as it looks."""
    likely = guess(table)
    taken = {*typed.names()}

    def free(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if name not in taken)

    return Mapping(
        id=typed.id or (likely.id if likely.id not in taken else None),
        inputs=typed.inputs or free(likely.inputs),
        files=typed.files or free(likely.files),
        answers=typed.answers or free(likely.answers),
        group=typed.group,
    )


def _command(choice: InitChoice, mapping: Mapping) -> str:
    words = ["benchbed", "init", choice.name, f"--from={choice.source}", *mapping.flags()]
    if not mapping.answers:
        words.append("--answer=COLUMN")
    if choice.type:
        words.append(f"--type={choice.type}")
    return " ".join(map(shell_word, words))


def _type(mapping: Mapping, made: Imported) -> str:
    """Return the type that fits the answers: several values are fields, few words a label."""
    answers = [row["answer"] for row in made.answers]
    if len(mapping.answers) > 1 or any(len(answer) != 1 for answer in answers):
        return "fields"
    values = [str(next(iter(answer.values()))) for answer in answers]
    is_label = len(set(values)) <= max(2, len(values) // 3) and max(map(len, values)) <= 40
    return "label" if is_label else "fields"


def _write(choice: InitChoice, kind: str, made: Imported, bench: Path, root: Path) -> list[str]:
    """Write dataset, bench file, stub and ``.gitignore``; the dataset appears as a whole.

    A file of somebody's that has the name of the stub stays. Returns what was written.
    """
    staged = bench / f".{VERSION}.{secrets.token_hex(4)}.tmp"
    staged.mkdir(parents=True)
    try:
        for path, source in made.copies.items():
            (staged / path).parent.mkdir(exist_ok=True)
            shutil.copyfile(source, staged / path)
        replace_file(staged / CASES_FILE, rows_text(made.cases))
        replace_file(staged / ANSWERS_FILE, rows_text(made.answers))
        pin(
            staged,
            benchmark=choice.name,
            id=f"{choice.name}-{VERSION}",
            visibility=choice.visibility,
        )
        staged.rename(bench / VERSION)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        if not any(bench.iterdir()):
            bench.rmdir()
        raise
    stub = bench / "adapter.py"
    is_own = stub.exists()
    if not is_own:
        replace_file(stub, adapter_stub(kind, made).encode("utf-8"))
    text = bench_text(choice.name, VERSION, kind, f"cases/{choice.name}/adapter.py:predict")
    replace_file(bench / "bench.json", text.encode("utf-8"))
    ignore_runs(root)
    folder = bench.relative_to(root).as_posix()
    return [
        f"written: {folder}/{VERSION}: {count(len(made.cases), 'case')}, "
        f"{count(len(made.copies), 'file')}, type {kind}, {choice.visibility}",
        f"written: {folder}/bench.json; {folder}/adapter.py was there and stays"
        if is_own
        else f"written: {folder}/bench.json, and {folder}/adapter.py for you to fill in",
    ]


def import_lines(mapping: Mapping, made: Imported, table: Table) -> list[str]:
    """Return what was dropped and changed on the way from the table."""
    lines = []
    if mapping.id is None:
        lines.append("changed: the rows have no ids; cases are numbered in the order of the file")
    if made.renamed:
        pairs = [f"{term(old, 60)} -> {new}" for old, new in made.renamed.items()]
        rest = f" and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
        lines.append(f"changed: ids made valid: {', '.join(pairs[:_SHOWN])}{rest} (kept in meta)")
    if made.without_answer:
        skipped = count(len(made.without_answer), "row")
        where = _numbers(made.without_answer)
        lines.append(f"dropped: {skipped} without an answer: {table.path.name}:{where}")
    for name, numbers in made.blank.items():
        rows, where = count(len(numbers), "row"), _numbers(numbers)
        lines.append(
            f"empty: {term(name, 40)} in {rows} ({table.path.name}:{where}): the answer there is "
            "that there is nothing"
        )
    if parts := parts_read(table, mapping):
        lines.append(f"left out: what stands beside {term(', '.join(parts), 200)} in its column")
    if made.meta:
        names = term(", ".join(made.meta), 200)
        lines.append(f"not shown to the system (meta): {names}")
    return lines


def _numbers(lines: list[int]) -> str:
    more = len(lines) - _SHOWN
    return ", ".join(map(str, lines[:_SHOWN])) + (f" and {more} more" if more > 0 else "")
