"""How a plugin registers its datasets: this repository's own ``cases/`` and ``fixtures/``.

A user's own ``cases/`` folder registers itself; the hook is for folders that
lie elsewhere or have another name.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_benchbed.data.registry import DatasetRegistry

ROOT = Path(__file__).parent


@pytest.hookimpl(optionalhook=True)
def pytest_benchbed_datasets(registry: DatasetRegistry) -> None:
    registry.add(ROOT / "cases")
    registry.add_fixtures(ROOT / "fixtures")
