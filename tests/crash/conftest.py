"""Fixtures of the tests that kill whole sessions."""

from __future__ import annotations

from tests.plugin.conftest import bench
from tests.plugin.conftest import workers

__all__ = ["bench", "workers"]
