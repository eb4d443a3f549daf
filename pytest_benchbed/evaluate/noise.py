"""What a verdict leaves in the noise ledger of its baseline, and what that ledger says by now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pytest_benchbed.compare.noise_ledger import Strike
from pytest_benchbed.compare.noise_ledger import noise_lines
from pytest_benchbed.compare.noise_ledger import withdrawn
from pytest_benchbed.model.gate import GateResult
from pytest_benchbed.model.noise_line import NoiseLine
from pytest_benchbed.model.run import RunRecord
from pytest_benchbed.runs.noise_file import DECIDED
from pytest_benchbed.runs.noise_file import NoiseFile


@dataclass(frozen=True)
class Remembered:
    """The ledger beside a verdict; of a run without a baseline it is empty."""

    file: NoiseFile | None = None
    lines: tuple[NoiseLine, ...] = ()
    """Of this run; not written yet."""
    strikes: tuple[Strike, ...] = ()
    """Cases that wobbled in several runs, this one included."""

    @property
    def notes(self) -> list[str]:
        """What has to be said of the file."""
        return self.file.notes if self.file is not None else []

    def write(self) -> None:
        """Append the lines; call it once the run is completed, with its lock held."""
        if self.file is not None:
            self.file.append(self.lines)


def remember(
    record: RunRecord,
    gates: Mapping[str, GateResult],
    *,
    profile: str,
    runs_dir: Path | None,
    at: str,
) -> Remembered:
    """Read the ledger of the run's baseline, and add what this run shows; nothing is written.

    Only a whole run that is completed has anything to add: of a partial or a
    blocked one nobody knows what the other cases did.

    Args:
        record: the run; its status is that which it ends with.
        gates: its verdicts by profile.
        profile: whose strikes are listed.
        runs_dir: where ledgers lie; None: there is none.
        at: the present time.
    """
    gate = gates[profile]
    if runs_dir is None or gate.baseline is None:
        return Remembered()
    file = NoiseFile(runs_dir, gate.baseline)
    benchmark = record.benchmark.id
    is_whole = record.status == "completed" and not record.partial and gate.status in DECIDED
    lines: list[NoiseLine] = []
    for name, one in gates.items():
        if is_whole and one.status in DECIDED:
            of = {"candidate": record.id, "benchmark": benchmark, "profile": name, "at": at}
            lines += [*noise_lines(one, **of), *withdrawn(one, file.lines, **of)]
    found = file.strikes(benchmark, profile, record.id if is_whole else None, lines)
    return Remembered(file, tuple(lines), tuple(found))
