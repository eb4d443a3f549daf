"""Result records and predictions of an executable: every malformed kind has its outcome."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.batch_reply import BatchFailure
from pytest_benchbed.adapters.batch_reply import BatchReply
from pytest_benchbed.adapters.batch_reply import read_reply
from pytest_benchbed.adapters.limits import Limits
from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.model.errors import TechnicalFailure
from pytest_benchbed.model.request import AdapterRequest

SYSTEM = {
    "role": "candidate", "model": "m", "cost_usd": 0.5, "execution_failures": 0,
    "unpriced_attempts": 0,
}  # fmt: skip
RESULT = {
    "id": "toy", "status": "completed", "format": "toy.v1", "data": "predictions.json",
    "systems": [SYSTEM],
}  # fmt: skip
NOTHING = object()


def request(*ids: str, budget: str | None = None) -> AdapterRequest:
    return AdapterRequest(
        run_id="r",
        benchmark="toy",
        format="toy.v1",
        model=None,
        budget_usd=None if budget is None else Decimal(budget),
        options={},
        attempt=1,
        files_dir="/files",
        contexts=[],
        cases=[{"id": name, "inputs": {}, "files": []} for name in ids],  # type: ignore[list-item]
    )


def read(
    folder: Path,
    *ids: str,
    result: Any = RESULT,
    predictions: Any = NOTHING,
    budget: str | None = None,
    limits: Limits | None = None,
    **secrets: str,
) -> BatchReply:
    for name, value in (("adapter-result.json", result), ("predictions.json", predictions)):
        if value is not NOTHING:
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            (folder / name).write_bytes(data)
    asked = request(*(ids or ("a", "b")), budget=budget)
    return read_reply(asked, folder, limits or Limits(), 1.0, Redactor(secrets))


def kind(folder: Path, **files: Any) -> str:
    with pytest.raises(TechnicalFailure) as caught:
        read(folder, **{"predictions": {"a": 1, "b": 2}, **files})
    return caught.value.kind


@pytest.mark.req("ENV-045", "ENV-046", "ENV-047")
def test_a_good_result_gives_the_prediction_of_every_case(tmp_path: Path) -> None:
    reply = read(tmp_path, predictions={"b": {"y": 1.0, "x": "é"}, "a": []})

    assert reply.predictions == {"a": "[]", "b": '{"x":"é","y":1}'}
    assert reply.missing == []
    assert reply.usage.cost_usd == Decimal("0.5")
    assert reply.result.systems[0].model == "m"


@pytest.mark.req("ENV-047")
def test_a_missing_or_null_prediction_touches_its_case_only(tmp_path: Path) -> None:
    reply = read(tmp_path, "a", "b", "c", predictions={"a": 1, "b": None})

    assert reply.predictions == {"a": "1"}
    assert reply.missing == ["b", "c"]
    assert {name: failure.kind for name, failure in reply.failures.items()} == {
        "b": "no_prediction",
        "c": "missing_case",
    }


@pytest.mark.parametrize("value", ["x" * 1_000_001, [0] * 100_001])
def test_an_oversized_prediction_touches_its_case_only(tmp_path: Path, value: object) -> None:
    reply = read(tmp_path, predictions={"a": value, "b": 1})

    assert (reply.missing, reply.failures["a"].kind) == (["a"], "too_large")
    assert list(reply.predictions) == ["b"]


@pytest.mark.req("ENV-047")
@pytest.mark.parametrize("other", ["c", "A", "a ", " a", "a\u200b", "__proto__", "á", "", "a/../b"])
def test_a_case_that_was_not_asked_is_a_fault_of_the_run(tmp_path: Path, other: str) -> None:
    assert kind(tmp_path, predictions={"a": 1, "b": 1, other: 1}) == "extra_case"


def test_an_id_of_other_letter_case_is_answered_with_the_one_that_was_asked(
    tmp_path: Path,
) -> None:
    with pytest.raises(BatchFailure, match="'A' was not asked; 'a' was"):
        read(tmp_path, predictions={"A": 1, "b": 1})


@pytest.mark.req("ENV-047")
@pytest.mark.parametrize("data", [b'{"a":1,"b":2,"a":1}', b'{"a":1,"b":2,"\\u0061":1}'])
def test_a_doubled_case_is_a_fault_of_the_run(tmp_path: Path, data: bytes) -> None:
    assert kind(tmp_path, predictions=data) == "duplicate_case"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (NOTHING, "missing_file"),
        (b"", "empty"),
        (b" \n", "empty"),
        (b'{"a":1', "syntax"),
        (b'{"a":1,}', "syntax"),
        (b'{"a":1} x', "syntax"),
        (b'{"a":1}\n{"b":1}', "syntax"),
        (b"{'a':1}", "syntax"),
        (b'{"a":1} // c', "syntax"),
        (b'{"a":01}', "syntax"),
        (b'{"a":+1}', "syntax"),
        (b'{"a":0x1}', "syntax"),
        (b'{"a":"\n"}', "syntax"),
        (b"<html></html>", "syntax"),
        (b"{'a': None}", "syntax"),
        (b'{"a":NaN}', "not_finite"),
        (b'{"a":-Infinity}', "not_finite"),
        (b'{"a":1e999}', "number_too_large"),
        (b'{"a":' + b"9" * 5000 + b"}", "number_too_large"),
        (b'{"a":9007199254740993}', "number_too_large"),
        (b'{"a":{"x":1,"x":2}}', "duplicate_case"),
        (b'{"a":' + b"[" * 100_000, "too_deep"),
        (b'{"a":"\\ud800"}', "bad_character"),
        (b'{"a":"\\u0000"}', "bad_character"),
        (b"[1]", "not_object"),
        (b'"a"', "not_object"),
        (b"null", "not_object"),
        (b"\xef\xbb\xbf{}", "bom"),
        ('{"a":1}'.encode("utf-16"), "not_utf8"),
        (b'{"a":"\xe9"}', "not_utf8"),
        (b'{"a":"\xc0\xaf"}', "not_utf8"),
        (b'{"a":"\xed\xa0\x80"}', "not_utf8"),
        (b"\x1f\x8b\x08\x00", "not_utf8"),
        (b'{"a":1}\0\0', "syntax"),
        (b"\x80\x04}.", "not_utf8"),
    ],
)
def test_unreadable_predictions_are_a_fault_of_the_run(
    tmp_path: Path, data: Any, expected: str
) -> None:
    assert kind(tmp_path, predictions=data) == expected


def test_a_fault_of_the_predictions_still_tells_what_was_spent(tmp_path: Path) -> None:
    with pytest.raises(BatchFailure) as caught:
        read(tmp_path, predictions=b"x")
    assert caught.value.usage is not None
    assert caught.value.usage.cost_usd == Decimal("0.5")


@pytest.mark.parametrize(
    "data",
    [
        b'\r\n{"a" :\t1 ,\r\n"b": "\xf0\x9f\x98\x80 e\xcc\x81"}\r\n',
        b'{"a":"","b":[]}',
    ],
)
def test_any_json_white_space_and_all_of_unicode_is_accepted(tmp_path: Path, data: bytes) -> None:
    assert read(tmp_path, predictions=data).missing == []


@pytest.mark.req("ENV-044", "ENV-046")
@pytest.mark.parametrize(
    "change",
    [
        {"status": "failed"}, {"status": None}, {"id": "other"}, {"id": "Toy"},
        {"format": "toy.v2"},
        {"systems": []}, {"systems": [SYSTEM, SYSTEM]}, {"systems": None},
        {"systems": [{**SYSTEM, "role": "judge"}]},
        {"score": 1.0}, {"passed": True}, {"gate": "passed"}, {"schema": "x"},
        {"systems": [{**SYSTEM, "score": 1}]},
        *({"systems": [{**SYSTEM, "cost_usd": cost}]} for cost in (-1, "0.5", True, None, 1e12)),
        *({"systems": [{**SYSTEM, "execution_failures": n}]} for n in (-1, 0.5, "0", True, None)),
        {"systems": [{**SYSTEM, "unpriced_attempts": -1}]},
        {"systems": [{**SYSTEM, "model": None}]},
        *(
            {"data": name}
            for name in (
                "", None, "/etc/passwd", "../p.json", "a/p.json", "a\\p.json", "c:p.json",
                "https://x/p.json", "adapter-result.json", "nul.json", "predictions.json:x",
                ".", "..",
            )
        ),
    ],
)  # fmt: skip
def test_a_result_record_of_another_shape_is_a_fault_of_the_run(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    assert kind(tmp_path, result={**RESULT, **change}) == "result_record"


@pytest.mark.parametrize("key", list(RESULT))
def test_a_result_record_without_a_field_is_a_fault_of_the_run(tmp_path: Path, key: str) -> None:
    short = {name: value for name, value in RESULT.items() if name != key}

    assert kind(tmp_path, result=short) == "result_record"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (NOTHING, "no_result"),
        (b"done", "syntax"),
        (b"[]", "not_object"),
        (json.dumps(RESULT).replace("0.5", "NaN").encode(), "not_finite"),
        (json.dumps(RESULT).replace("0.5", "1e999").encode(), "number_too_large"),
        (json.dumps({**RESULT, "adapter": "x" * 2000}).encode() + b" " * 2_000_000, "too_large"),
    ],
)
def test_an_unreadable_result_record_is_a_fault_of_the_run(
    tmp_path: Path, result: Any, expected: str
) -> None:
    assert kind(tmp_path, result=result) == expected


@pytest.mark.req("ENV-048")
def test_failed_calls_block_the_run_and_their_cost_is_kept(tmp_path: Path) -> None:
    with pytest.raises(BatchFailure, match="execution_failures") as caught:
        read(tmp_path, result={**RESULT, "systems": [{**SYSTEM, "execution_failures": 2}]})
    assert caught.value.usage is not None
    assert caught.value.usage.execution_failures == 2


@pytest.mark.req("ENV-049")
def test_calls_without_a_price_block_the_run(tmp_path: Path) -> None:
    with pytest.raises(BatchFailure, match="unpriced_attempts") as caught:
        read(tmp_path, result={**RESULT, "systems": [{**SYSTEM, "unpriced_attempts": 1}]})
    assert caught.value.usage is not None
    assert caught.value.usage.unpriced_attempts == 1


@pytest.mark.req("ENV-053")
def test_spend_above_the_budget_is_a_fault_of_the_run(tmp_path: Path) -> None:
    assert kind(tmp_path, budget="0.49") == "over_budget"
    assert read(tmp_path, predictions={"a": 1, "b": 1}, budget="0.5").missing == []


def test_a_predictions_file_beyond_the_cap_is_a_fault_of_the_run(tmp_path: Path) -> None:
    assert kind(tmp_path, limits=Limits(prediction_bytes=10)) == "too_large"


def test_a_prediction_that_links_to_another_file_is_a_fault_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"a":1,"b":1}')
    (tmp_path / "predictions.json").symlink_to("answers.jsonl")

    assert kind(tmp_path, predictions=NOTHING) == "bad_file"


def test_secrets_do_not_stay_in_predictions(tmp_path: Path) -> None:
    reply = read(tmp_path, predictions={"a": "my key-123456", "b": 1}, KEY="key-123456")

    assert reply.predictions["a"] == '"my [KEY]"'
