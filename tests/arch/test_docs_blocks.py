from __future__ import annotations

from pathlib import Path

import pytest

from tests.arch.docs_blocks import Block
from tests.arch.docs_blocks import DocsError
from tests.arch.docs_blocks import commands
from tests.arch.docs_blocks import missing_line
from tests.arch.docs_blocks import read_page
from tests.arch.docs_blocks import run_page


def page(text: str):
    return read_page(text.replace("'''", "```"))


def run(text: str, folder: Path, repository: Path | None = None) -> None:
    run_page(page(text), folder, repository or folder)


def test_blocks_and_the_comments_directly_above_are_found() -> None:
    found = page(
        "<!-- not run: it is an example of another tool -->\n\n'''console\n$ make\n'''\n"
        "<!-- file: a.py -->\nText between.\n'''python\nx = 1\n'''\n'''\nplain\n'''\n"
        "<!-- start with: cases conftest.py -->\n"
    )

    assert found.blocks == (
        Block(3, "console", "$ make\n", {"not run": "it is an example of another tool"}),
        Block(8, "python", "x = 1\n", {}),
        Block(11, "text", "plain\n", {}),
    )
    assert found.start_with == ("cases", "conftest.py")


def test_a_longer_fence_may_hold_a_shorter_one() -> None:
    (block,) = read_page("````text\n```\n````\n").blocks

    assert block.text == "```\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("'''python\nx = 1\n", "line 1: the block never ends"),
        ("'''bash\nls\n'''\n", "language 'bash'"),
        ("<!-- skip: no -->\n", "unknown comment 'skip'"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, words: str) -> None:
    with pytest.raises(DocsError, match=words):
        page(text)


def test_commands_go_on_over_lines_and_keep_their_output() -> None:
    block = Block(
        10,
        "console",
        "$ cat > a.txt <<'EOF'\n> one\n> two\n> EOF\n$ ls \\\n  -l\n\n$ echo a\na\n\nb \n",
    )

    found = commands(block)

    assert [command.text for command in found] == [
        "cat > a.txt <<'EOF'\none\ntwo\nEOF",
        "ls \\\n  -l",
        "echo a",
    ]
    assert [command.output for command in found] == [(), ("",), ("a", "", "b")]
    assert [command.line for command in found] == [11, 15, 18]


@pytest.mark.parametrize("text", ["output\n$ ls\n", "\n", "ls\n"])
def test_a_console_block_starts_with_a_command(text: str) -> None:
    with pytest.raises(DocsError, match="command"):
        commands(Block(1, "console", text))


@pytest.mark.parametrize(
    ("shown", "missing"),
    [
        (["one", "three"], None),
        (["one", "…", "four 4"], None),
        (["four …"], None),
        (["... 4"], None),
        (["", "two", ""], None),
        (["two  "], None),
        (["three", "one"], "one"),
        (["one", "one"], "one"),
        (["tw"], "tw"),
        (["four ... 5"], "four ... 5"),
        (["f.ur 4"], "f.ur 4"),
    ],
)
def test_shown_lines_come_in_their_order(shown: list[str], missing: str | None) -> None:
    assert missing_line(shown, "one\ntwo  \nthree\nfour 4\n") == missing


def test_blocks_of_a_page_share_a_folder(tmp_path: Path) -> None:
    run(
        "<!-- file: deep/mine.py -->\n'''python\ndef f():\n    return 7\n'''\n"
        "'''console\n$ cd deep\n$ python -c 'import mine; print(mine.f())'\n7\n'''\n"
        "'''python\nimport sys; sys.path.insert(0, 'deep')\nimport mine\n"
        "open('seen.txt', 'w').write(str(mine.f()))\n'''\n"
        "'''console\n$ cat seen.txt; pwd\n7…\n'''\n",
        tmp_path,
    )


def test_the_folder_starts_with_copies_of_the_repository(tmp_path: Path) -> None:
    repository, folder = tmp_path / "repository", tmp_path / "folder"
    (repository / "cases").mkdir(parents=True)
    (repository / "cases" / "a.txt").write_text("a", encoding="utf-8")
    (repository / "conftest.py").write_text("x = 1\n", encoding="utf-8")
    folder.mkdir()

    run(
        "<!-- start with: cases conftest.py -->\n"
        "'''console\n$ ls cases conftest.py && rm -r cases\na.txt\n'''\n",
        folder,
        repository,
    )

    assert (repository / "cases" / "a.txt").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("'''console\n$ true\n$ false\n'''\n", "line 3: exit status 1 instead of 0 from: false"),
        ("'''console\n$ false\n$ true\n'''\n", "line 2: exit status 1"),
        ("<!-- exit: 2 -->\n'''console\n$ true\n'''\n", "exit status 0 instead of 2"),
        ("'''console\n$ echo one\ntwo\n'''\n", "this line did not come.*: two"),
        ("'''console\n$ echo one\n$ echo two\none\n'''\n", "line 3: this line did not come"),
        ("'''console\n$ exit 0\n'''\n", "the shell ended in: exit 0"),
        ("'''python\nraise SystemExit(3)\n'''\n", "line 1: exit status 3"),
        ("'''python\n>>> 1 + 1\n3\n'''\n", "line 1: exit status 1"),
        ("'''json\n{'a': 1}\n'''\n", "line 1: no json"),
        ("'''toml\na = \n'''\n", "line 1: no toml"),
        ("'''yaml\na: [1\n'''\n", "line 1: no yaml"),
    ],
)
def test_a_page_that_shows_what_is_not_so_fails(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(DocsError, match=f"(?s){words}"):
        run(text, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "<!-- exit: 1 -->\n'''console\n$ echo before\nbefore\n$ false\n'''\n",
        "<!-- exit: 1 -->\n'''console\n$ X=1\n$ test \"$X\" = 1\n$ false\n'''\n",
        "'''console\n$ false || echo $?\n1\n'''\n",
        "'''console\n$ echo to stderr >&2\nto stderr\n'''\n",
        "'''python\n>>> 1 + 1\n2\n'''\n",
        "'''json\n{\"a\": 1}\n'''\n",
        "'''toml\na = 1\n'''\n",
        "'''yaml\non: [push]\n'''\n",
        "<!-- not run: it would remove everything -->\n'''console\n$ exit 1\n'''\n",
        "",
    ],
)
def test_a_page_that_is_right_passes(text: str, tmp_path: Path) -> None:
    run(text, tmp_path)


def test_commands_find_the_scripts_of_this_interpreter(tmp_path: Path) -> None:
    run("'''console\n$ python -c 'import pytest' && pytest --version\npytest …\n'''\n", tmp_path)


def test_commands_see_nothing_of_this_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--nonsense")
    monkeypatch.setenv("CI", "true")

    run(
        "'''console\n$ echo \"[${PYTEST_ADDOPTS#-p no:*}$PYTEST_CURRENT_TEST$CI]\"\n"
        "[randomly -p no:…]\n"
        "$ read x || echo closed\nclosed\n'''\n",
        tmp_path,
    )
