"""What we print: lines at once, the last line, and a failure summary that stays linear."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any
from typing import Protocol

import pytest


def reporter_of(config: pytest.Config) -> Any:
    """Return the terminal reporter (another plugin may have replaced it), or None."""
    return config.pluginmanager.get_plugin("terminalreporter")


def say_line(config: pytest.Config, line: str) -> None:
    """Print one line at once, whatever pytest captures meanwhile."""
    reporter = reporter_of(config)
    if reporter is None:
        return
    capture = config.pluginmanager.get_plugin("capturemanager")
    if capture is None:
        _write(reporter, line)
        return
    with capture.global_and_fixture_disabled():
        _write(reporter, line)


def _write(reporter: Any, line: str) -> None:
    reporter.ensure_newline()
    reporter.write_line(line)
    reporter.flush()


class Ending(Protocol):
    """What the controller knows about the end of a session."""

    def last_lines(self) -> list[tuple[str, bool]]:
        """Return the lines, and whether each is good."""

    def is_ended(self) -> bool:
        """Say whether we ended the session by ``pytest.exit``.

        pytest prints its own line about it after the hook of the session's end.
        """

    def raise_exit(self, session: pytest.Session) -> None:
        """Turn exit status 0 into 1 where a verdict asks for it."""


def _has_line_to_come(config: pytest.Config) -> bool:
    """Say whether pytest prints more after the session's end: of a ``pytest.exit`` in a test.

    It does unless the exit status is that of an interruption. The name is not public.
    """
    return getattr(reporter_of(config), "_keyboardinterrupt_memo", None) is not None


class LastLine:
    """Writes the verdict after pytest's own last line, also under ``-q``.

    A gate that is red without a failing item would else end on "12 passed". A
    plugin object of its own: the code before a wrapper's ``yield`` runs before
    every other hook.
    """

    def __init__(self, ending: Ending) -> None:
        """``ending``: knows the lines once everything else has finished."""
        self._ending = ending
        self._is_written = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, object, object]:
        """Let everything else finish, then print.

        Another plugin may have set the exit status to 0 after the gate raised it.
        """
        try:
            return (yield)
        finally:
            self._ending.raise_exit(session)
            if not self._ending.is_ended() and not _has_line_to_come(session.config):
                self._write(session.config)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Print after pytest's line on an early end."""
        if not self._is_written:
            self._write(config)

    def _write(self, config: pytest.Config) -> None:
        self._is_written = True
        reporter = reporter_of(config)
        if reporter is not None:
            for text, is_good in self._ending.last_lines():
                reporter.ensure_newline()
                reporter.write_line(text, **({"green": True} if is_good else {"red": True}))


_KEPT = pytest.StashKey[dict[str, list[Any]]]()
MAX_SHOWN = 50
"""Failed cases whose text is printed; likewise errors. The page has all of them."""


class SummarySwap:
    """Shortens what pytest prints and searches for each failure.

    For every failed report it scans all passed setup and teardown reports for
    captured sections, which is quadratic. Ours have none; the swapped list
    keeps reports with sections and all reports that are not ours. Of our own
    failures the first are printed: ten thousand of one cause help nobody.
    """

    def __init__(self, config: pytest.Config) -> None:
        """``config``: keeps the lists meanwhile."""
        self._config = config

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(
        self, terminalreporter: pytest.TerminalReporter
    ) -> Generator[None, object, object]:
        """Swap before pytest's own wrapper prints the failures."""
        stats = terminalreporter.stats
        kept: dict[str, list[Any]] = {
            name: stats[name] for name in ("", "failed", "error") if name in stats
        }
        self._config.stash[_KEPT] = kept
        for name, reports in kept.items():
            stats[name] = _searched(reports) if name == "" else _printed(reports)
        return (yield)


def _searched(reports: list[Any]) -> list[Any]:
    return [
        report
        for report in reports
        if getattr(report, "sections", None) or not hasattr(report, "benchbed")
    ]


def _printed(reports: list[Any]) -> list[Any]:
    left = MAX_SHOWN
    printed = []
    for report in reports:
        if hasattr(report, "benchbed"):
            left -= 1
            if left < 0:
                continue
        printed.append(report)
    return printed


class SummaryRestore:
    """Puts the whole lists back before ``--durations`` and the counts read them."""

    def __init__(self, config: pytest.Config) -> None:
        """``config``: has kept the lists."""
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Restore; a plain hook runs after every wrapper's first half."""
        kept = self._config.stash.get(_KEPT, None)
        if kept is None:
            return
        del self._config.stash[_KEPT]
        stats = terminalreporter.stats
        hidden = sum(len(kept.get(name, ())) - len(stats[name]) for name in kept if name)
        stats.update(kept)
        if hidden:
            terminalreporter.write_line(
                f"benchbed: {hidden} more cases failed and are not printed; the report has them all"
            )
