"""The adapter ``http`` alone, against a server in a thread of this process."""

from __future__ import annotations

import email
import email.policy
import select
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_benchbed.adapters.http_adapter import Http
from pytest_benchbed.adapters.http_exchange import Connections
from pytest_benchbed.adapters.http_exchange import Request
from pytest_benchbed.model.case import Case
from pytest_benchbed.model.errors import TechnicalFailure
from tests.plugin.web import Asked
from tests.plugin.web import Reply
from tests.plugin.web import Web
from tests.plugin.web import serving


@pytest.fixture
def web() -> Iterator[Web]:
    """A server that says ``{"ok": true}`` until it is told otherwise."""
    with serving(lambda _: {"ok": True}) as found:
        yield found


def ask(web: Web, *cases: Case, **options: Any) -> list[Any]:
    """Ask the cases one after the other."""
    adapter = Http(**{"url": f"{web.url}/ask", **options})
    try:
        return [adapter.predict(case) for case in cases]
    finally:
        adapter.close()


def case(files: dict[str, Path] | None = None, **inputs: Any) -> Case:
    return Case("c-1", "toy", inputs, files or {})


def form(asked: Asked) -> dict[str, tuple[str | None, bytes]]:
    """Read a form: field to file name and content."""
    head = f"Content-Type: {asked.headers['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + asked.body, policy=email.policy.HTTP)
    return {
        str(part.get_param("name", header="content-disposition")): (
            part.get_filename(),
            part.get_payload(decode=True),
        )
        for part in message.iter_parts()
    }


def test_a_file_goes_as_a_field_of_a_form_beside_others(web: Web, tmp_path: Path) -> None:
    path = tmp_path / "factura ñ.pdf"
    path.write_bytes(b"%PDF\r\n\x00--\xff")

    ask(
        web,
        case({"assets/factura.pdf": path}, lang="es"),
        file="document",
        body={"language": "{/lang}", "options": {"deep": 1}},
    )

    assert form(web.asked[0]) == {
        "language": (None, b"es"),
        "options": (None, b'{"deep": 1}'),
        "document": (path.name, b"%PDF\r\n\x00--\xff"),
    }


def test_several_files_are_named_by_their_places(web: Web, tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_bytes(b"1")
    two.write_bytes(b"2")
    files = {"a/one.txt": one, "a/two.txt": two}

    ask(web, case(files, left="a/one.txt", right="a/two.txt"), file={"l": "/left", "r": "/right"})

    assert form(web.asked[0]) == {"l": ("one.txt", b"1"), "r": ("two.txt", b"2")}
    with pytest.raises(TechnicalFailure, match="the case has 2 files"):
        ask(web, case(files), file="document")


def test_a_query_without_a_body(web: Web) -> None:
    found = ask(web, case(q="año & más"), method="GET", url=f"{web.url}/s?q={{/q}}#x")

    assert found == [{"ok": True}]
    assert (web.asked[0].method, web.asked[0].path) == ("GET", "/s?q=a%C3%B1o%20%26%20m%C3%A1s")
    assert (web.asked[0].body, "content-type" in web.asked[0].headers) == (b"", False)


def test_a_body_of_utf8_json_and_a_reply_of_text(web: Web) -> None:
    web.script = lambda _: Reply(200, "sí\n".encode(), "text/plain")

    found = ask(web, case(text="¿qué?"), body={"t": "{/text}"}, reply="text", key="said")

    assert found == [{"said": "sí\n"}]
    assert web.asked[0].body == '{"t": "¿qué?"}'.encode()
    assert web.asked[0].headers["content-type"] == "application/json"


def test_a_connection_is_kept_and_one_that_the_server_closed_is_not_used(web: Web) -> None:
    """A request on a closed connection would be lost; asking again might pay twice."""
    web.script = lambda asked: Reply(
        200, b"{}", headers={"Connection": "close"} if asked.json["n"] == 2 else {}
    )

    found = ask(web, *(case(n=number) for number in range(5)))

    assert found == [{}] * 5
    assert [asked.json["n"] for asked in web.asked] == [0, 1, 2, 3, 4]


def test_an_idle_connection_that_ended_is_opened_anew(web: Web) -> None:
    adapter = Http(url=f"{web.url}/ask")

    adapter.predict(case())
    (kept,) = next(iter(adapter._connections._idle.values()))
    # What a server does that closes idle connections, as seen from here.
    kept.sock.shutdown(1)
    # Its end came when there is something to read, which is nothing.
    assert select.select([kept.sock], [], [], 60)[0]
    adapter.predict(case())
    adapter.close()

    assert len(web.asked) == 2


@pytest.mark.parametrize("length", ["Content-Length: 2000\r\n", ""])
def test_a_reply_that_drips_is_cut_off_at_the_deadline(web: Web, length: str) -> None:
    """Each read is quick, the whole is not; without a length it would look whole."""
    web.script = lambda _: Reply(200, b"{}", headers={"X-Slow": "1"})
    answer = web.answer

    def drip(handler: Any) -> None:
        if "x" not in handler.path:
            answer(handler)
            return
        handler.rfile.read(int(handler.headers["Content-Length"]))
        handler.wfile.write(f"HTTP/1.1 200 OK\r\n{length}\r\n".encode())
        for byte in [b"{", b"}", *[b" "] * 1000]:
            time.sleep(0.05)
            try:
                handler.wfile.write(byte)
            except OSError:
                break
        handler.close_connection = True

    web.answer = drip  # type: ignore[method-assign]

    with pytest.raises(TechnicalFailure, match=r"timeout: no whole reply in 0\.2 s"):
        ask(web, case(), url=f"{web.url}/x", timeout_s=0.2)


def test_a_reply_that_ends_early_is_not_taken_for_whole(web: Web) -> None:
    def cut(handler: Any) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")
        handler.wfile.write(b"Content-Length: 9\r\n\r\nno, never")
        handler.wfile.flush()
        handler.close_connection = True

    def promised(handler: Any) -> None:
        write = handler.wfile.write
        handler.wfile.write = lambda data: write(data.replace(b": 9", b": 99"))
        cut(handler)

    web.answer = cut  # type: ignore[method-assign]
    assert ask(web, case(), reply="text") == ["no, never"]

    web.answer = promised  # type: ignore[method-assign]
    with pytest.raises(TechnicalFailure, match=r"connection: POST .*IncompleteRead"):
        ask(web, case(), reply="text")


def test_nobody_listening_is_a_failure_of_the_connection(web: Web) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/ask?secret=$HOME"

        with pytest.raises(TechnicalFailure, match=r"connection: POST .*/ask: ConnectionRefused"):
            ask(web, case(), url=url)


def test_a_proxy_is_asked_for_the_whole_address(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", web.url.replace("//", "//me:secr%21et@"))
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    ask(web, case(n=1), url="http://product.invalid/ask?a=1")

    assert web.asked[0].path == "http://product.invalid/ask?a=1"
    assert web.asked[0].headers["proxy-authorization"] == "Basic bWU6c2VjciFldA=="
    assert web.asked[0].headers["host"] == "product.invalid"


def test_the_version_is_asked_where_the_options_say(web: Web) -> None:
    web.script = lambda _: {"build": {"tag": "7.1"}}
    adapter = Http(
        url=web.url, version_url=f"{web.url}/v", version_result="/build/tag", version="1"
    )

    assert adapter.version() == "7.1"
    adapter.close()
    assert Http(url=web.url, version=2).version() == "2"


def test_a_silent_server_is_late_whichever_clock_notices(web: Web) -> None:
    """The socket's own limit may be up a moment before that of the call."""
    is_over = threading.Event()
    web.script = lambda asked: is_over.wait(60) and {}
    connections = Connections(0.05)

    with pytest.raises(TechnicalFailure) as caught:
        connections.send(Request("POST", web.url, {}, b"{}"))

    is_over.set()
    connections.close()
    assert caught.value.kind == "timeout"
    assert "no whole reply in 0.05 s" in caught.value.detail


def test_each_of_several_calls_at_once_has_its_own_deadline(web: Web) -> None:
    is_over = threading.Event()
    web.script = lambda asked: {} if asked.json["n"] % 2 else (is_over.wait(60) and {})
    connections = Connections(0.5)
    kinds: dict[int, str] = {}

    def send(number: int) -> None:
        try:
            body = f'{{"n": {number}}}'.encode()
            connections.send(Request("POST", web.url, {}, body))
            kinds[number] = "ok"
        except TechnicalFailure as failure:
            kinds[number] = failure.kind

    for _ in range(2):
        # The second time the thread of the deadlines has nothing to wait for at first.
        threads = [threading.Thread(target=send, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert kinds == {number: "ok" if number % 2 else "timeout" for number in range(6)}
        kinds.clear()
    is_over.set()
    connections.close()


def test_closing_ends_what_is_under_way(web: Web) -> None:
    is_over, is_asked = threading.Event(), threading.Event()
    web.script = lambda asked: (is_asked.set(), is_over.wait(60), {})[2]
    connections = Connections(60)
    failures: list[TechnicalFailure] = []

    def send() -> None:
        try:
            connections.send(Request("POST", web.url, {}, b"{}"))
        except TechnicalFailure as failure:
            failures.append(failure)

    thread = threading.Thread(target=send)
    thread.start()
    assert is_asked.wait(60)
    connections.close()
    thread.join(30)

    assert not thread.is_alive()
    assert [failure.kind for failure in failures] == ["connection"]
    assert connections._deadlines._thread is not None
    connections._deadlines._thread.join(30)
    assert not connections._deadlines._thread.is_alive()
    is_over.set()


def test_a_proxy_that_drips_is_cut_off_at_the_deadline_too(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                while not is_over.wait(0.05):
                    try:
                        connection.sendall(b"H")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{server.getsockname()[1]}")
        monkeypatch.setenv("no_proxy", "")
        connections = Connections(0.4)

        with pytest.raises(TechnicalFailure, match=r"timeout: no whole reply in 0\.4 s"):
            connections.send(Request("POST", "https://product.test/ask", {}, b"{}"))

        is_over.set()
        thread.join(30)
        connections.close()


def test_all_addresses_of_a_name_share_one_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[float] = []

    def silent(address: Any, timeout: float, source: Any) -> socket.socket:
        tried.append(timeout)
        time.sleep(timeout)
        raise TimeoutError

    places = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"192.0.2.{n}", 80)) for n in (1, 2, 3)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **more: places)
    monkeypatch.setattr(socket, "create_connection", silent)
    connections = Connections(0.2)

    with pytest.raises(TechnicalFailure, match=r"timeout: no whole reply in 0\.2 s"):
        connections.send(Request("POST", "http://product.test/ask", {}, b"{}"))

    assert len(tried) == 1
    connections.close()
