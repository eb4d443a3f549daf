"""A/A: play every control as if it were the candidate. Nothing changed, so every red is false."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_benchbed.compare import noise
from pytest_benchbed.compare.confirm import may_ask
from pytest_benchbed.compare.facts import RunFacts
from pytest_benchbed.compare.judge import Judge
from pytest_benchbed.compare.noise_plan import flaky_limit
from pytest_benchbed.compare.old_code import check_sound
from pytest_benchbed.compare.old_code import compared
from pytest_benchbed.compare.old_code import noise_seen
from pytest_benchbed.compare.phrases import count
from pytest_benchbed.compare.phrases import percent
from pytest_benchbed.compare.tally import Groups
from pytest_benchbed.compare.tally import clusters


@dataclass(frozen=True, slots=True)
class Replay:
    """One control as the candidate, against the baseline and the other controls."""

    control: str
    suspects: int
    """Cases (groups) with a suspect: strict is red of one."""
    allowed: int | None
    """None: no other control is left, so there is no allowance."""

    @property
    def is_too_many(self) -> bool:
        """Whether allowance, and confirm without a question, are red."""
        return not may_ask(self.suspects, self.allowed)


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the rules would have done without any change in the code."""

    replays: Sequence[Replay]
    unstable: int
    """D among all runs of the old code."""
    unit: str = "case"
    """What suspects are counted by: ``group`` where cases have groups."""

    def lines(self) -> list[str]:
        """Return the lines of ``benchbed gate --aa``."""
        runs = len(self.replays)
        strict = sum(replay.suspects > 0 for replay in self.replays)
        many = sum(replay.is_too_many for replay in self.replays)
        again = [one.suspects for one in self.replays if one.suspects and not one.is_too_many]
        asks = f"; {len(again)} of {runs} would ask again" if again else ""
        asks += f" ({count(sum(again), self.unit)})" if again else ""
        lines = [
            f"A/A: {count(runs, 'control')}, no change in the code",
            f"  strict     red {strict} of {runs}",
        ]
        if runs == 1:
            lines.append("  allowance  unknown: one control alone meets no other")
        else:
            lines.append(f"  allowance  red {many} of {runs}")
        lines.append(f"  confirm    red {many} of {runs} at once{asks}")
        return [*lines, f"  expected false alarm {self._expected()}"]

    def _expected(self) -> str:
        """Say what the estimate of flaky cases predicts now, and with one more control.

        Where none was seen, which proves little, the limit stands beside it.
        """
        flaky = noise.flaky_estimate(self.unstable, len(self.replays))
        most = flaky_limit(self.unstable, len(self.replays))
        assert flaky is not None, "there is at least one control"
        assert most is not None, "there is at least one control"
        parts = []
        for controls in (len(self.replays), len(self.replays) + 1):
            rechecks, _ = noise.rechecks_for(flaky, controls)
            strict, confirm = (
                percent(noise.alarm_of(flaky, controls, asked))
                + (
                    ""
                    if flaky
                    else f" (95 % limit {percent(noise.alarm_of(most, controls, asked))})"
                )
                for asked in (0, rechecks)
            )
            parts.append(f"with K={controls}: strict {strict}, confirm {confirm} (r {rechecks})")
        return " · ".join(parts)


def self_test(
    baseline: RunFacts,
    controls: Sequence[RunFacts],
    *,
    profile: str,
    judge: Judge,
    groups: Groups | None = None,
) -> SelfTest:
    """Return the A/A test of saved runs of one code; targets play no part.

    Args:
        baseline: the baseline.
        controls: its controls, at least one; all comparable with it.
        profile: one of the benchmark's.
        judge: the benchmark type.
        groups: the group of each case that has one.

    Raises:
        TechnicalFailure: the type's ``is_worse`` raised.
    """
    ordered = sorted(controls, key=lambda control: control.id)
    replays = []
    for place, control in enumerate(ordered):
        others = [*ordered[:place], *ordered[place + 1 :]]
        found = compared(control, baseline, others, profile, judge, groups)
        seen = noise_seen(
            "allowance", found, len(others), profile=profile, judge=judge, groups=groups
        )
        check_sound(found)
        replays.append(
            Replay(
                control=control.id,
                suspects=clusters((one.case for one in found.suspects), groups),
                allowed=seen.allowed,
            )
        )
    whole = compared(baseline, baseline, ordered, profile, judge, groups)
    return SelfTest(replays, len(whole.unstable), "group" if groups else "case")
