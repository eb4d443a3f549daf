"""Settings of the project's own tests: requirement marks, and the list of what has none.

``pytest tests --collect-only -q --req-coverage=docs/requirements.md`` prints
each requirement that no collected test cites, and the totals.
"""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

REQUIREMENT_ID = re.compile(r"(ENV|DOS|TRU|OSR)-\d{3}")
REQUIREMENT_LINE = re.compile(r"^- `([A-Z]{3}-\d{3})` (\S+)", re.MULTILINE)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--req-coverage",
        metavar="FILE",
        help="list the requirements in FILE that no collected test cites (with --collect-only -q)",
    )


def pytest_configure(config: pytest.Config) -> None:
    for name in ("SIGINT", "SIGHUP"):
        # In the background of a script both may be ignored, which children inherit: then no
        # Ctrl-C reaches the sessions that the tests start.
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            default = signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL
            signal.signal(number, default)
    config.addinivalue_line(
        "markers",
        "req(*ids): requirement ids whose breaking this test would show, such as ENV-059",
    )
    # An xdist worker collects everything too; the list is printed once.
    if config.getoption("--req-coverage") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(RequirementCoverage(config), "requirement-coverage")


def pytest_itemcollected(item: pytest.Item) -> None:
    for mark in item.iter_markers("req"):
        wrong = [name for name in mark.args if not REQUIREMENT_ID.fullmatch(str(name))]
        if wrong or mark.kwargs or not mark.args:
            raise pytest.UsageError(
                f"{item.nodeid}: bad mark req{mark.args}.\n"
                f"It takes ids such as 'ENV-059': {REQUIREMENT_ID.pattern}"
            )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # A page runs for a minute: as the last test of one worker it leaves all others idle.
    items.sort(key=lambda item: not item.nodeid.startswith("tests/arch/test_docs.py"))


class RequirementCoverage:
    """Compares the ids that the collected tests cite with those of a list."""

    def __init__(self, config: pytest.Config) -> None:
        path = config.invocation_params.dir / config.getoption("--req-coverage")
        if not path.is_file():
            raise pytest.UsageError(f"--req-coverage: there is no file {path}")
        self.handles: dict[str, str] = requirements(path)
        self.cited: dict[str, str] = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            for mark in item.iter_markers("req"):
                for name in mark.args:
                    self.cited.setdefault(name, item.nodeid)

    # trylast: no other plugin sets the exit status of a collection after us.
    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.unknown and session.exitstatus in (0, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for line in self.lines():
            terminalreporter.write_line(line)

    @property
    def unknown(self) -> list[str]:
        return sorted(set(self.cited) - set(self.handles))

    def lines(self) -> list[str]:
        lines = [
            f"untested: {name} {handle}"
            for name, handle in self.handles.items()
            if name not in self.cited
        ]
        lines += [f"unknown: {name}, cited by {self.cited[name]}" for name in self.unknown]
        for prefix in dict.fromkeys(name[:3] for name in self.handles):
            ids = [name for name in self.handles if name.startswith(prefix)]
            tested = sum(name in self.cited for name in ids)
            lines.append(f"{prefix}: {tested} of {len(ids)} requirements have a test")
        return lines


def requirements(path: Path) -> dict[str, str]:
    """Return id to handle, in the order of the list."""
    found = REQUIREMENT_LINE.findall(path.read_text(encoding="utf-8"))
    return dict(found)
