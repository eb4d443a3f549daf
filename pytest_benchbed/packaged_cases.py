"""The datasets that the wheel brings: a plugin of its own, so that it can be left out.

``-p no:benchbed-cases`` removes them. In a source checkout there are no packaged
copies and the repository's ``conftest.py`` registers the folders themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_benchbed.data.registry import DatasetRegistry

PACKAGED = Path(__file__).parent / "packaged"


def pytest_benchbed_datasets(registry: DatasetRegistry) -> None:
    """Register the packaged datasets and their prediction fixtures, if there are any."""
    if (PACKAGED / "cases").is_dir():
        registry.add(PACKAGED / "cases")
        registry.add_fixtures(PACKAGED / "fixtures")
