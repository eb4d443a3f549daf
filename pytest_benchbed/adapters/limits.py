"""How long an adapter may take and how much it may write, with the defaults.

Every limit can be set per adapter in the bench file (``limits``). What happens
on a breach stands beside each field; nothing here is ever a score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import fields
from dataclasses import replace

from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.names import unknown_name

MIB = 1024 * 1024
GIB = 1024 * MIB


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one adapter. Sizes are bytes, fields that end in ``_s`` seconds."""

    start_s: float = 30.0
    """Start of a host until its ``hello`` is answered; then technical."""
    call_s: float = 600.0
    """One call; then the process tree is killed, technical for that case."""
    grace_s: float = 5.0
    """Between SIGTERM and SIGKILL, and for ``close``."""
    linger_s: float = 1.0
    """How long children may outlive the adapter; then they are killed, technical."""
    output_bytes: int = 8 * MIB
    """Standard output and standard error, each; then killed, technical."""
    prediction_bytes: int = 8 * MIB
    """Predictions file of an executable."""
    result_bytes: int = MIB
    """``adapter-result.json``."""
    frame_bytes: int = 8 * MIB
    """One message to or from a host."""
    entries: int = 10_000
    """Files and folders in the output folder; then killed, technical."""
    directory_bytes: int = GIB
    """All files in the output folder; then killed, technical."""
    file_bytes: int | None = GIB
    """Size of one file written (RLIMIT_FSIZE); None: not limited."""
    open_files: int | None = 1024
    """RLIMIT_NOFILE."""
    core_bytes: int | None = 0
    """RLIMIT_CORE."""
    memory_bytes: int | None = None
    """Address space (RLIMIT_AS); off unless declared."""
    cpu_s: int | None = None
    """Processor seconds (RLIMIT_CPU); off unless declared."""
    processes: int | None = None
    """RLIMIT_NPROC; off by default because it counts all processes of the user."""

    def with_overrides(self, values: Mapping[str, float]) -> Limits:
        """Return limits with some values changed, by field name.

        Raises:
            UsageProblem: an unknown name, or a value that is not above 0 (0 is
                allowed for ``grace_s``, ``linger_s`` and ``core_bytes``) or not finite.
        """
        known = {field.name: field for field in fields(self)}
        changed: dict[str, float] = {}
        for name, value in values.items():
            if name not in known:
                raise UsageProblem(unknown_name("limit", name, known, ""))
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise UsageProblem(f"limit {name!r} must be a number, not {value!r}.")
            least = 0 if name in {"grace_s", "linger_s", "core_bytes"} else 1e-9
            if not math.isfinite(value) or value < least:
                raise UsageProblem(f"limit {name!r} is {value!r}; it must be finite and above 0.")
            is_seconds = name.endswith("_s") and name != "cpu_s"
            changed[name] = float(value) if is_seconds else math.ceil(value)
        return replace(self, **changed)  # type: ignore[arg-type]

    def without_rlimits(self) -> Limits:
        """Return the same without limits that the operating system enforces."""
        return replace(
            self,
            file_bytes=None,
            open_files=None,
            core_bytes=None,
            memory_bytes=None,
            cpu_s=None,
            processes=None,
        )

    def rlimits(self) -> dict[str, int]:
        """Return what the operating system enforces: name without ``RLIMIT_`` to value."""
        values = {
            "FSIZE": self.file_bytes,
            "NOFILE": self.open_files,
            "CORE": self.core_bytes,
            "AS": self.memory_bytes,
            "CPU": self.cpu_s,
            "NPROC": self.processes,
        }
        return {name: value for name, value in values.items() if value is not None}
