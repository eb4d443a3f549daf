"""A repository for drills: the toy benchmark of the plugin tests, in a folder that is removed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from typing import cast

from tests.plugin.bench import Bench


@contextmanager
def repository(count: int, replies: dict[str, Any] | None = None, **how: Any) -> Iterator[Bench]:
    """Give a repository of ``count`` cases whose system is scripted by ``replies``."""
    with tempfile.TemporaryDirectory(prefix="drill-", ignore_cleanup_errors=True) as folder:
        place = cast("Any", SimpleNamespace(path=Path(folder).resolve()))
        yield Bench(place).make(count).answers(replies, **how)
