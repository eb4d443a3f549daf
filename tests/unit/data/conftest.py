from __future__ import annotations

import pytest

from tests.unit.data.folder import Folder


@pytest.fixture
def folder(tmp_path):
    """A dataset that was pinned and is clean."""
    return Folder(tmp_path).pinned()


@pytest.fixture
def unpinned(tmp_path):
    """The same without a manifest."""
    return Folder(tmp_path)
