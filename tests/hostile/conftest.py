"""A small repository whose system is hostile; nothing of it may stay behind."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator

import pytest

from tests.crash.hostile import leftovers
from tests.hostile.repository import Repository


@pytest.fixture
def repository(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    """Three cases and a system to be written; afterwards no process and no folder is left."""
    repository = Repository(pytester)
    temporary = repository.path / "temporary"
    temporary.mkdir()
    # Sessions in this process and in others make their folders here.
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("TMPDIR", str(temporary))
    yield repository
    if sys.platform == "linux":
        assert leftovers(repository.path) == []
    assert [path.name for path in temporary.iterdir()] == []
