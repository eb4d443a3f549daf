"""The adapter ``http`` against a product on the loopback that does everything wrong."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.plugin.bench import Bench
from tests.plugin.bench import last_line
from tests.plugin.web import Asked
from tests.plugin.web import Reply
from tests.plugin.web import serving

RIGHT: dict[str, Any] = {"answer": {"main": [], "side": []}, "usage": {"usd": 0.001}}
LATER = {"Retry-After": "0"}
PAST = {"Retry-After": "Sun, 01 Mar 2020 12:00:00 GMT"}
PAGE = "<html>\x1b[31m" + "iniciar sesión " * 20


def silent(_: Asked) -> Any:
    threading.Event().wait(60)


FAULTS: dict[str, tuple[Callable[[Asked], Any], str, str]] = {
    "right": (lambda _: RIGHT, "", ""),
    "wrong": (lambda _: {"answer": {"main": ["cell"], "side": []}, "usage": {"usd": 0}}, "", ""),
    "busy": (lambda a: RIGHT if a.number > 1 else Reply(429, b"", headers=LATER), "", ""),
    "busy-date": (lambda a: RIGHT if a.number > 1 else Reply(429, b"", headers=PAST), "", ""),
    "500-twice": (lambda a: RIGHT if a.number > 2 else Reply(500, b"", headers=LATER), "", ""),
    "503": (lambda _: Reply(503, b"", headers=LATER), "retry", "HTTP 503"),
    "html": (
        lambda _: Reply(200, PAGE.encode(), "text/html"),
        "bad_response",
        "content type text/html, not application/json: <html>\\x1b[31miniciar sesión",
    ),
    "empty": (lambda _: Reply(), "bad_response", "HTTP 200 with an empty body"),
    "login": (
        lambda _: Reply(302, b"", None, {"Location": "/login"}),
        "http_status",
        "HTTP 302, a redirect to /login; none is followed",
    ),
    "not-json": (lambda _: Reply(200, b"{'a': 1}"), "bad_response", "no JSON"),
    "pointer": (lambda _: {"reply": 1}, "bad_response", "/answer is not there"),
    "404": (lambda _: Reply(404, b"nope"), "http_status", "HTTP 404: nope"),
    "hangs-up": (lambda _: Reply(0), "connection", "RemoteDisconnected"),
    "silent": (silent, "timeout", "no whole reply in 3 s"),
    "declined": (lambda _: {"answer": None, "usage": {"usd": 0}}, "no-answer", "null at /answer"),
    "shape": (lambda _: {"answer": [], "usage": {"usd": 0}}, "shape", ""),
}


def options(url: str, **more: Any) -> list[str]:
    values = {"url": f"{url}/ask", "result": "/answer", "cost": "/usage/usd", **more}
    words = [f"--bench-adapter-option={name}={value}" for name, value in values.items()]
    return ["--bench=toy", "--bench-adapter=http", *words]


def bench_file(bench: Bench, name: str, **fields: Any) -> None:
    path = bench.dataset.parent / "bench.json"
    path.write_text(json.dumps({"adapter": name, "adapters": {name: fields}}), "utf-8")


def test_what_a_server_can_do_wrong_is_technical_and_never_a_score(
    pytester: pytest.Pytester,
) -> None:
    ids = {f"t-{number:03}": name for number, name in enumerate(FAULTS, start=1)}
    rows = {case: {"inputs": {"text": name}} for case, name in ids.items()}
    bench = Bench(pytester).make(len(ids), rows)

    with serving(lambda asked: FAULTS[asked.json["text"]][0](asked)) as web:
        result = bench.pytest(*options(web.url, timeout_s=3), "--bench-run=own")

    run = bench.saved("own")
    lines = [json.loads(line) for line in run.paths.calls.read_text("utf-8").splitlines()]
    outcomes = {line["case"]: line for line in lines if line["kind"] == "outcome"}
    for case, name in ids.items():
        _, kind, words = FAULTS[name]
        error = outcomes[case]["error"] or {"kind": "", "detail": ""}
        if kind == "shape":
            continue  # the type refuses it, not the adapter
        assert error["kind"] == kind, name
        assert words in error["detail"], name
    tries = {name: sum(one.json["text"] == name for one in web.asked) for name in FAULTS}
    assert {name: count for name, count in tries.items() if count > 1} == {
        "busy": 2,
        "busy-date": 2,
        "500-twice": 3,
        "503": 3,
    }
    states = {ids[row["case"]]: row["state"] for row in run.results()}
    scored = {"right", "wrong", "busy", "busy-date", "500-twice", "declined"}
    assert {name for name, state in states.items() if state == "scored"} == scored
    assert states["shape"] == "technical"
    result.assert_outcomes(passed=4, failed=2, errors=10)
    assert last_line(result).startswith("benchbed: gate BLOCKED: 10 technical failures")
    assert "\x1b" not in result.stdout.str()
    assert {one["error"]["whose"] for one in outcomes.values() if one["error"]} >= {"system"}
    # The failure names the log, which has more of the page than fits into a line.
    log = (run.path / "adapter" / "slot-0.stderr.log").read_text("utf-8")
    assert f"<html>\\x1b[31m{PAGE[11:190]}" in log
    assert run.record.isolation["network"] == "all"
    spent = [line["usage"]["cost_usd"] for line in lines if line["kind"] == "outcome"]
    assert [cost for cost in spent if cost].count(0.001) == 4


def test_sixteen_calls_are_in_flight_at_once(pytester: pytest.Pytester) -> None:
    bench = Bench(pytester).make(16)
    together = threading.Barrier(16)

    def script(_: Asked) -> Any:
        together.wait(60)
        return RIGHT

    with serving(script) as web:
        result = bench.pytest(*options(web.url), "--bench-jobs=16", "--bench-run=own")

    result.assert_outcomes(passed=16)
    assert bench.saved("own").record.executor.slots == 16
    result.stdout.fnmatch_lines(["*calls at once 16: see --bench-jobs*"])


def test_a_secret_goes_to_the_product_and_into_no_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "Zx81-secreta-clave"
    monkeypatch.setenv("ACME_KEY", secret)

    def script(asked: Asked) -> Any:
        # It even tells its key.
        return {"out": {"main": [asked.headers["authorization"]], "side": []}}

    with serving(script) as web:
        bench_file(
            bench,
            "acme",
            entry="http",
            options={
                "url": f"{web.url}/v1/{{id}}?k=$ACME_KEY",
                "body": {"q": "¿{/text}?", "all": "{inputs}", "model": "{model}", "n": [1, None]},
                "headers": {"Authorization": "Bearer ${ACME_KEY}", "Accept-Language": "es"},
                "result": "/out",
                "version_url": f"{web.url}/version",
                "version_result": "/out/side",
                "max_concurrency": 2,
            },
            model="small",
            env=["ACME_KEY"],
        )
        result = bench.pytest("--bench=toy", "--bench-run=own", "--bench-jobs=4")

    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        ["  again: pytest --bench=toy *=t-001 --bench-adapter=acme --bench-model=*"]
    )
    result.stdout.fnmatch_lines(["*calls at once 2, not 4: the adapter takes no more*"])
    asked = {one.path: one for one in web.asked}
    first = asked[f"/v1/t-001?k={secret}"]
    assert first.json == {
        "q": "¿text of t-001?",
        "all": {"text": "text of t-001"},
        "model": "small",
        "n": [1, None],
    }
    assert first.headers["authorization"] == f"Bearer {secret}"
    assert first.headers["accept-language"] == "es"
    assert bench.saved("own").record.adapter.version == "[]"
    files = [path for path in (bench.path / "runs").rglob("*") if path.is_file()]
    assert [path for path in files if secret.encode() in path.read_bytes()] == []
    assert secret not in result.stdout.str()
    assert "[ACME_KEY]" in bench.saved("own").paths.calls.read_text("utf-8")


def test_a_wrong_option_is_told_before_anything_is_asked(bench: Bench) -> None:
    with serving(lambda _: RIGHT) as web:
        result = bench.pytest(*options(web.url, resutl="/answer"))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*unknown option of adapter http*resutl*Did you mean 'result'*"])
    assert (web.asked, bench.runs()) == ([], [])


def test_a_variable_that_is_not_set_is_told_before_anything_is_asked(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ACME_KEY", raising=False)
    with serving(lambda _: RIGHT) as web:
        bench_file(
            bench,
            "http",
            options={"url": web.url, "headers": {"Authorization": "Bearer $ACME_KEY"}},
        )
        result = bench.pytest("--bench=toy")

    assert "ACME_KEY, which is not set" in result.stdout.str() + result.stderr.str()
    assert (web.asked, bench.runs()) == ([], [])
