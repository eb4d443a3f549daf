"""Replies of a host made into outcomes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.adapters.replies import Breach
from pytest_benchbed.adapters.replies import ReplyReader
from pytest_benchbed.model.errors import TechnicalFailure

LOG = "adapter/slot-0.stderr.log"


def reader(**secrets: str) -> ReplyReader:
    return ReplyReader(Redactor(secrets), LOG)


def test_a_result_is_kept_as_json_text_with_its_usage() -> None:
    outcome = reader().outcome({"result": {"b": "é", "a": 1.0}, "usage": {"cost_usd": 0.25}}, 1.5)

    assert (outcome.state, outcome.raw) == ("ok", '{"b":"é","a":1.0}')
    assert (outcome.usage.cost_usd, outcome.reported) == (Decimal("0.25"), True)
    assert outcome.latency_s == 1.5


def test_no_usage_is_not_a_usage_of_nothing() -> None:
    outcome = reader().outcome({"result": 1, "usage": None}, 0.0)

    assert (outcome.reported, outcome.usage.cost_usd) == (False, None)


@pytest.mark.req("ENV-048")
def test_unresolved_failures_make_the_case_technical_and_their_cost_counts() -> None:
    outcome = reader().outcome(
        {"result": 1, "usage": {"cost_usd": 0.5, "execution_failures": 1}}, 0.0
    )

    assert (outcome.state, outcome.raw) == ("technical", None)
    assert outcome.error is not None
    assert outcome.error["kind"] == "execution_failures"
    assert outcome.usage.cost_usd == Decimal("0.5")


def test_declining_is_an_answer_with_a_reason() -> None:
    outcome = reader(KEY="key-123456").outcome({"no_answer": {"reason": "no key-123456"}}, 0.0)

    assert (outcome.state, outcome.error) == ("no-answer", {"reason": "no [KEY]"})


def test_a_retry_is_technical_until_it_is_asked_again() -> None:
    outcome = reader().outcome({"retry": {"after_s": 2, "reason": "busy"}}, 0.0)

    assert (outcome.state, outcome.retry_after_s) == ("technical", 2.0)
    assert outcome.error == {
        "kind": "retry",
        "where": LOG,
        "detail": "asked to be asked again in 2 s: busy",
        "whose": "adapter",
    }


@pytest.mark.req("ENV-051")
def test_an_exception_is_technical_with_its_message_redacted_and_escaped() -> None:
    trouble = {"kind": "exception", "type": "E", "message": "E: \x1b[31m key-123456"}

    with pytest.raises(TechnicalFailure) as caught:
        reader(KEY="key-123456").outcome({"error": trouble}, 0.0)
    assert (caught.value.kind, caught.value.where) == ("exception", LOG)
    assert caught.value.detail == "E: \\x1b[31m [KEY]"
    assert not isinstance(caught.value, Breach)


def test_unsupported_after_the_question_is_technical_not_skipped() -> None:
    with pytest.raises(TechnicalFailure, match="late_unsupported"):
        reader().outcome({"unsupported": True}, 0.0)


def test_the_drive_of_a_benchmark_is_not_the_adapters_fault() -> None:
    failure = reader().reported({"kind": "drive", "type": "LoadError", "message": "m"})

    assert failure.whose == "scorer"


@pytest.mark.parametrize(
    "reply",
    [
        {"result": 1, "usage": 1},
        {"result": 1, "usage": {"cost_usd": "0.5"}},
        {"result": 1, "usage": {"cost_usd": -1}},
        {"result": 1, "usage": {"score": 1}},
        {"no_answer": None},
        {"no_answer": {"reason": 1}},
        {"retry": {"after_s": -1}},
        {"retry": {"after_s": True}},
        {"retry": []},
        {"error": "x"},
        {"error": {"kind": "made_up", "type": "E", "message": "m"}},
        {"error": {"kind": "exception", "type": "E", "message": None}},
    ],
)
def test_a_reply_of_another_shape_breaks_the_protocol(reply: dict[str, Any]) -> None:
    with pytest.raises(Breach):
        reader().outcome(reply, 0.0)


@pytest.mark.parametrize("result", ["x" * 1_000_001, [0] * 100_001])
def test_an_oversized_prediction_is_technical_for_its_case(result: Any) -> None:
    with pytest.raises(TechnicalFailure, match="too_large") as caught:
        reader().outcome({"result": result, "usage": None}, 0.0)
    assert not isinstance(caught.value, Breach)


def test_secrets_do_not_stay_in_predictions() -> None:
    outcome = reader(KEY='key-"123456').outcome({"result": ['a key-"123456']}, 0.0)

    assert outcome.raw == '["a [KEY]"]'


def test_supports_is_true_or_unsupported() -> None:
    assert reader().supports({"result": True, "usage": None})
    assert not reader().supports({"unsupported": True})
    for reply in ({"result": False}, {"result": 1}, {"unsupported": False}):
        with pytest.raises(Breach):
            reader().supports(reply)


def test_only_predict_may_decline() -> None:
    with pytest.raises(TechnicalFailure, match="bad_reply"):
        reader().plain("hello", {"no_answer": {"reason": ""}})
    with pytest.raises(TechnicalFailure, match="constructor"):
        reader().plain("hello", {"error": {"kind": "constructor", "type": "E", "message": "m"}})


def test_what_the_child_says_in_two_lines_is_one() -> None:
    trouble = {"kind": "exception", "type": "LoadError", "message": "no package x.\nInstall it."}

    with pytest.raises(TechnicalFailure) as failure:
        reader().outcome({"error": trouble}, 0.0)

    assert failure.value.detail == "no package x. Install it."
