"""From the stored outcome of a call to the case's row of ``results.jsonl``.

Strict reading, the type's validator, the scorer, keys and costs: all of it can
be repeated from what is on disk, and none of it asks the system. A live
session and ``benchbed score`` both come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any
from typing import NamedTuple

from pydantic_core import from_json

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.score import declined
from pytest_benchbed.benchmarks.score import quality
from pytest_benchbed.benchmarks.score import score
from pytest_benchbed.benchmarks.score import validate_prediction
from pytest_benchbed.compare.confirm import BUDGET
from pytest_benchbed.compare.keys import CaseKeys
from pytest_benchbed.compare.keys import key_parts
from pytest_benchbed.data.answers import Answers
from pytest_benchbed.data.dataset import CaseEntry
from pytest_benchbed.data.dataset import Dataset
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.error import ProfileScore
from pytest_benchbed.model.errors import DatasetError
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.strict import MalformedJson
from pytest_benchbed.model.strict import read_json

Answer = dict[str, Any]
"""An outcome line of ``calls.jsonl``; ``state`` may also be ``not-run``."""

_UNKNOWN = digest(None)
"""Stands for the parts of a case that can no longer be read."""


class Evaluation(NamedTuple):
    """The row of a case, and its technical failures with their causes."""

    row: dict[str, Any]
    technical: list[dict[str, Any]]
    """``TechnicalRecord`` objects as JSON."""


class _Scored(NamedTuple):
    state: str
    reason: str | None
    scores: dict[str, ProfileScore]
    quality: float | None
    technical: dict[str, Any] | None = None


class Scorer:
    """Scores the outcomes of one dataset's cases with one benchmark type.

    The rows of cases and answers are read plainly: their files were compared with
    their digests (``verify_digests``) before the first case is scored.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        dataset: Dataset,
        answers: Answers | None = None,
        *,
        is_batch: bool,
    ) -> None:
        """Take the parts.

        Args:
            benchmark: the type.
            dataset: what was asked.
            answers: its answers, if they are open already; else opened at the first case.
            is_batch: the replies are of an executable, so we wrote their text.
        """
        self.benchmark = benchmark
        self.dataset = dataset
        self.is_batch = is_batch
        self._given = answers

    @cached_property
    def answers(self) -> Answers:
        """The answers."""
        return self._given or Answers.open(self.dataset.root)

    @cached_property
    def keys(self) -> CaseKeys:
        """Makes the comparability keys of the cases."""
        return CaseKeys(self.benchmark)

    def checked(self, answer: Answer) -> Answer:
        """Read a reply strictly and by the type's validator.

        Returns the answer with its ``prediction``, or as a technical failure: a
        malformed reply is no wrong answer.
        """
        if answer["state"] != "ok":
            return answer
        try:
            return {**answer, "prediction": self._prediction(answer.get("raw"))}
        except TechnicalFailure as failure:
            error = {
                "kind": failure.kind,
                "where": failure.where,
                "detail": failure.detail,
                "whose": failure.whose,
            }
            return {**answer, "state": "technical", "error": error}

    def _prediction(self, raw: str | None) -> Any:
        if raw is None:
            raise TechnicalFailure("missing", "the reply holds no prediction")
        if self.is_batch:
            # Read strictly when the batch came back, and written by us since.
            prediction = from_json(raw, cache_strings="keys")
        else:
            try:
                prediction = read_json(raw)
            except MalformedJson as malformed:
                raise TechnicalFailure(malformed.kind, malformed.detail) from None
        validate_prediction(self.benchmark, prediction)
        return prediction

    def evaluate(
        self,
        entry: CaseEntry,
        answers: Sequence[Answer],
        *,
        row: dict[str, Any] | None = None,
        parts: dict[str, str] | None = None,
    ) -> Evaluation:
        """Score the checked answers of one case (attempts 1 to N, in order).

        ``row`` and ``parts``: the case's row, and what its keys are made of, where
        they are known already.
        """
        try:
            row_of_case = row or self.dataset.known_row(entry.id)
            truth = self.answers.known(entry.id)
            parts = parts or self._parts(row_of_case, truth)
            scored = [self._score(row_of_case, truth, answer) for answer in answers]
        except DatasetError as error:
            # A system that writes into the dataset: nothing can be scored against that.
            detail = str(error).splitlines()[0]
            failure = TechnicalFailure("tampered_dataset", detail)
            parts = key_parts(_UNKNOWN, (), _UNKNOWN)
            scored = [_technical(entry.id, failure) for _ in answers]
        first = scored[0]
        result: dict[str, Any] = {
            "case": entry.id,
            "category": entry.category,
            "state": first.state,
            "reason": first.reason,
            **_scores_json(first),
            "quality": first.quality,
            **({} if entry.group is None else {"group": entry.group}),
            "keys": self.keys.of(entry.id, parts),
            "key_parts": parts,
            "x": _volatile(answers[0]),
        }
        if len(answers) > 1:
            result["repeats"] = [
                {
                    "attempt": attempt,
                    **_scores_json(one),
                    "quality": one.quality,
                    "latency_s": answer.get("latency_s"),
                    "cost_usd": answer.get("usage", {}).get("cost_usd"),
                }
                for attempt, (one, answer) in enumerate(zip(scored, answers, strict=True), start=1)
            ]
        return Evaluation(result, [one.technical for one in scored if one.technical is not None])

    def reask(self, case_id: str, answer: Answer, first: Answer) -> dict[str, Any]:
        """Score the checked outcome of one re-ask: an entry of the row's ``reasks``.

        It has no errors where there was nothing to score, and changes no score of the case.

        Args:
            case_id: the case.
            answer: the outcome.
            first: that of attempt 1: a reply that is given again byte by byte, and at
                once, may be no second draw.
        """
        try:
            scored = self._score(
                self.dataset.known_row(case_id), self.answers.known(case_id), answer
            )
        except DatasetError as error:
            detail = str(error).splitlines()[0]
            scored = _technical(case_id, TechnicalFailure("tampered_dataset", detail))
        result: dict[str, Any] = {"attempt": answer["attempt"], "outcome": scored.state}
        if scored.state != "scored":
            kind = (answer.get("error") or {}).get("kind")
            outcome = BUDGET if kind == "budget_exhausted" else "technical"
            return {**result, "errors": None, "outcome": outcome}
        both = _scores_json(scored)
        result["errors"] = both["errors"]
        result["is_same_reply"] = _reply(answer) == _reply(first)
        result["latency_s"] = answer.get("latency_s")
        result["cached"] = bool((answer.get("usage") or {}).get("cached"))
        if self.benchmark.tolerance or self.benchmark.has_own_is_worse:
            result["metrics"] = both["metrics"]
        return result

    def parts(self, case_id: str) -> dict[str, str]:
        """Return what a case's keys are made of, under this dataset (``key_parts``).

        Raises:
            DatasetError: the dataset has no such case, or no answer to it.
        """
        return self._parts(self.dataset.known_row(case_id), self.answers.known(case_id))

    def answer_part(self, case_id: str) -> str:
        """Return the digest of a case's answer (raises as :meth:`parts`)."""
        return digest(self.answers.known(case_id))

    def _score(self, row: dict[str, Any], truth: Any, answer: Answer) -> _Scored:
        state = answer["state"]
        error = answer.get("error") or {}
        if state == "unsupported":
            reason = error.get("detail") or "not supported by the adapter"
            return _Scored("skipped", reason, {}, None)
        if state == "technical":
            return _technical(
                row["id"],
                TechnicalFailure(
                    error.get("kind", "technical"),
                    error.get("detail", ""),
                    where=error.get("where") or "",
                    whose=error.get("whose", "adapter"),
                ),
            )
        if state == "no-answer":
            reason = error.get("detail") or "the system declined"
            return _Scored("scored", reason, declined(self.benchmark), 0.0)
        case = self.dataset.view(
            row["id"], row["inputs"], row.get("files") or (), row.get("context")
        )
        try:
            scores = score(self.benchmark, case, truth, answer["prediction"])
            return _Scored("scored", None, scores, quality(self.benchmark, scores))
        except TechnicalFailure as failure:
            return _technical(row["id"], failure)

    def _parts(self, row: dict[str, Any], truth: Any) -> dict[str, str]:
        """Digest what a case is made of: a baseline is comparable only if all three are equal."""
        inputs: dict[str, Any] = {"inputs": row["inputs"]}
        files = list(row.get("files") or ())
        if row.get("context") is not None:
            context = self.dataset.context(row["context"])
            inputs["context"] = {"id": context.id, "inputs": context.inputs}
            files += context.files or ()
        pins = self.dataset.pins
        pairs = [(path, pins[path].sha256 if path in pins else "") for path in set(files)]
        return key_parts(digest(inputs), pairs, digest(truth))


def _reply(answer: Answer) -> tuple[Any, ...]:
    """Return what the system sent: the raw reply, or that it declined."""
    return answer["state"], answer.get("raw"), bool(answer.get("raw_base64"))


def _technical(case: str, failure: TechnicalFailure) -> _Scored:
    record = {
        "case": case,
        "whose": failure.whose,
        "kind": failure.kind,
        "detail": term(": ".join(part for part in (failure.where, failure.detail) if part)),
    }
    reason = f"{failure.whose}: {failure.kind}"
    if record["detail"]:
        reason += f": {record['detail']}"
    return _Scored("technical", reason, {}, None, record)


def _scores_json(scored: _Scored) -> dict[str, Any]:
    return {
        "errors": {
            profile: [error.to_json() for error in one.errors]
            for profile, one in scored.scores.items()
        },
        "metrics": {profile: one.metrics_json() for profile, one in scored.scores.items()},
    }


def _volatile(answer: Answer) -> dict[str, Any]:
    usage = answer.get("usage") or {}
    return {
        "latency_s": answer.get("latency_s"),
        "queue_s": answer.get("queue_s"),
        "cost_usd": usage.get("cost_usd"),
        "usage": usage,
    }
