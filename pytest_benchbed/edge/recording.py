"""Whether a session is one of ``benchbed record``, which promotes it and says what comes next."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

_VARIABLE: Final = "PYTEST_BENCHBED_RECORDING"


def is_recording() -> bool:
    """Say whether ``benchbed record`` started this session."""
    return bool(os.environ.get(_VARIABLE))


def recording_environment() -> Mapping[str, str]:
    """Return the environment of a session that :func:`is_recording` knows.

    Not an option: the command line is recorded, and typed again from there.
    """
    return {**os.environ, _VARIABLE: "1"}
