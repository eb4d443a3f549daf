"""Readings: what neither the sources nor the rules fix, as it was decided here.

Another reader of the same rules may have decided otherwise, so they are printed with
whatever is explained. One that changes needs a new version of the gate.
"""

from __future__ import annotations

READINGS = (
    "errors of a case are a set: the same kind and place twice is one error",
    "a declined case is scored: no metrics, quality 0, error no-answer",
    "a type's own is_worse is asked of answered cases alone; no answer is worse than an answer",
    "a case whose answer was corrected, and whose reply is not at hand, is unverifiable",
    "scored in the baseline and skipped now is support lost: incomplete; a target fails",
    "a new case is not judged until a run that has it is promoted, unless it is a target",
    "bench_max_unjudged, where set, turns a pass with more unjudged cases into incomplete",
    "declared deterministic, and not so in runs of the old code: confirm, with a warning",
    "wrong in every attempt, each time in another way, fails like confirmed",
    "a re-ask with a technical failure neither clears nor blocks: its case is unconfirmed",
    "re-asks that could not be paid leave the verdict open, however quiet the old code was",
    "at_least: a metric below its limit is an error of kind below",
    "a type with errors and tolerances has a suspect by either",
    "a bare quality needs at_least or tolerance, else the type is refused",
    "no error anywhere, and some quality below 1: this type cannot fail, so it is unavailable; "
    "not where tolerance, at_least or the type's own is_worse decides",
    "under allowance the test of a suspect is xfailed: the run is judged, not the case",
    "the test of a new case with errors is xfailed",
    "where no unstable case was seen, the 95 % limit reckons with three (rule of three)",
    "the source commit is no part of a system's identity, and a file's digest is no version",
    "outcomes taken over from another run stand in no control, no re-ask and no later repeat",
    "ages and versions of runs of the old code warn, and never change a verdict",
    "the noise ledger lies beside its baseline and decides nothing",
    "a promoted run is looked for among the snapshots first",
)
