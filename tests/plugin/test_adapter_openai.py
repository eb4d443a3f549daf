"""The adapter ``openai`` in whole sessions, against a model server on the loopback."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.web import Asked
from tests.plugin.web import Reply
from tests.plugin.web import serving

KEY = "Zx81-secreta-clave"
RIGHT = '{"main": [], "side": []}'
AUTH = "authorization"
LATER = {"Retry-After": "0"}
PROMPT = "Judge «{/text}» as JSON.\n".encode()
SCHEMA = b'{"type": "object"}'


def said(content: Any = RIGHT, *, finish: str = "stop", **changes: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "refusal": changes.pop("refusal", None)}
    return {
        "model": "small-2026-01-31",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100},
        **changes,
    }


FAULTS: dict[str, tuple[Callable[[Asked], Any], str, str]] = {
    "right": (lambda _: said(), "", ""),
    "tells": (lambda a: said(RIGHT.replace("[]", f'["{a.headers[AUTH]}"]')), "", ""),
    "busy": (lambda a: said() if a.number > 1 else Reply(429, b"{}", headers=LATER), "", ""),
    "500-twice": (lambda a: said() if a.number > 2 else Reply(500, b"", headers=LATER), "", ""),
    "503": (lambda _: Reply(503, b"", headers=LATER), "retry", "HTTP 503"),
    "malformed": (lambda _: said('{"main": ['), "bad_response", "the text is no JSON"),
    "truncated": (
        lambda _: said('{"main":', finish="length"),
        "bad_response",
        "cut off after 100 tokens (finish_reason length): raise max_tokens",
    ),
    "filtered": (lambda _: said("", finish="content_filter"), "bad_response", "a content filter"),
    "refused": (lambda _: said(None, refusal="No, thanks."), "no-answer", "refused: No, thanks."),
    "slow": (lambda _: Reply(0), "timeout", "no whole reply in 5 s"),
    "wrong-key": (
        lambda _: Reply(401, b'{"error": {"message": "Incorrect API key provided"}}'),
        "http_status",
        "HTTP 401: {\"error\": {\"message\": \"Incorrect API key",
    ),
    "no-usage": (lambda _: said(usage=None), "", ""),
}  # fmt: skip


def name_of(asked: Asked) -> str:
    return asked.json["messages"][-1]["content"].split("«")[1].split("»")[0]


def bench_file(bench: Bench, url: str, **fields: Any) -> None:
    (bench.path / "ask.txt").write_bytes(PROMPT)
    (bench.path / "reply.json").write_bytes(SCHEMA)
    options = {"base_url": f"{url}/v1", "prompt": "ask.txt", "schema": "reply.json", **fields}
    adapter = {"options": options, "model": "small"}
    row = {
        "adapter": "openai",
        "adapters": {"openai": adapter},
        "prices": {"small": {"in": 2, "out": 10}},
        "jobs": len(FAULTS),
    }
    (bench.dataset.parent / "bench.json").write_text(json.dumps(row), "utf-8")


def test_what_a_model_server_can_do_wrong_is_technical_and_the_rest_is_priced(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", KEY)
    ids = {f"t-{number:03}": name for number, name in enumerate(FAULTS, start=1)}
    bench = Bench(pytester).make(
        len(ids), {case: {"inputs": {"text": name}} for case, name in ids.items()}
    )

    is_over = threading.Event()

    def script(asked: Asked) -> Any:
        if name_of(asked) == "slow":
            is_over.wait(60)
        return FAULTS[name_of(asked)][0](asked)

    with serving(script) as web:
        bench_file(bench, web.url, api_key="MODEL_KEY", timeout_s=5)
        result = bench.pytest("--bench=toy", "--bench-run=own")
        is_over.set()

    run = bench.saved("own")
    lines = [json.loads(line) for line in run.paths.calls.read_text("utf-8").splitlines()]
    outcomes = {ids[line["case"]]: line for line in lines if line["kind"] == "outcome"}
    for name, (_, kind, words) in FAULTS.items():
        error = outcomes[name]["error"] or {"kind": "", "detail": ""}
        assert error["kind"] == kind, name
        assert words in error["detail"], name
    tries = {name: sum(name_of(one) == name for one in web.asked) for name in FAULTS}
    assert {name: count for name, count in tries.items() if count > 1} == {
        "busy": 2,
        "500-twice": 3,
        "503": 3,
    }
    result.assert_outcomes(passed=4, failed=2, errors=6)
    assert last_line(result).startswith("benchbed: gate BLOCKED: ")
    # 1000 tokens at $2 and 100 at $10 a million, under the dated name of the model.
    assert outcomes["right"]["usage"] == {
        "cost_usd": 0.003,
        "model": "small-2026-01-31",
        "input_tokens": 1000,
        "output_tokens": 100,
    }
    # Tokens that are not told are an unknown price, not $0.
    assert outcomes["no-usage"]["usage"]["cost_usd"] is None
    assert (run.record.spend.spent_usd, run.record.spend.unpriced_attempts) == (None, 1)
    adapter = run.record.adapter
    assert (adapter.name, adapter.model, adapter.identified) == ("openai", "small", False)
    assert adapter.settings == [
        f"prompt={sha256(PROMPT).hexdigest()}",
        f"schema={sha256(SCHEMA).hexdigest()}",
    ]
    assert run.record.isolation["network"] == "all"
    files = [path for path in (bench.path / "runs").rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in result.stdout.str()
    assert "[MODEL_KEY]" in run.paths.calls.read_text("utf-8")


def test_what_is_missing_is_told_before_anything_is_asked(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MODEL_KEY", raising=False)
    with serving(lambda _: said()) as web:
        bench_file(bench, web.url, api_key="MODEL_KEY")
        no_key = bench.pytest("--bench=toy")
        monkeypatch.setitem(sys.modules, "openai", None)
        no_library = bench.pytest("--bench=toy")

    assert no_key.ret == no_library.ret == pytest.ExitCode.USAGE_ERROR
    assert "MODEL_KEY, which is not set" in no_key.stdout.str() + no_key.stderr.str()
    no_library.stderr.fnmatch_lines(["*needs the library 'openai'*'pytest-benchbed?openai?'*"])
    assert (web.asked, bench.runs()) == ([], [])
