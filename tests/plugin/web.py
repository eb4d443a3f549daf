"""A product behind HTTP on the loopback, whose every reply is scripted by a function."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from typing import Any
from typing import NamedTuple


class Asked(NamedTuple):
    """One request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes
    number: int
    """How many times this very body came, from 1."""

    @property
    def json(self) -> Any:
        """The body."""
        return json.loads(self.body)


class Reply(NamedTuple):
    """What is sent back; status 0 hangs up without a word."""

    status: int = 200
    body: bytes = b""
    content_type: str | None = "application/json"
    headers: dict[str, str] = {}


Script = Callable[[Asked], Reply | Any]


class Web:
    """The server; ``asked`` has every request."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.lock = threading.Lock()
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                web.answer(self)

            do_GET = do_PUT = do_POST

            def log_message(self, *_: object) -> None:
                return

        class Server(ThreadingHTTPServer):
            request_queue_size = 64
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Note a request and send what the script says; a value is sent as JSON."""
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        with self.lock:
            number = 1 + sum((one.path, one.body) == (handler.path, body) for one in self.asked)
            headers = {name.lower(): value for name, value in handler.headers.items()}
            asked = Asked(handler.command, handler.path, headers, body, number)
            self.asked.append(asked)
        reply = self.script(asked)
        if not isinstance(reply, Reply):
            reply = Reply(body=json.dumps(reply, ensure_ascii=False).encode("utf-8"))
        if reply.status == 0:
            handler.close_connection = True
            return
        handler.send_response(reply.status)
        if reply.content_type:
            handler.send_header("Content-Type", reply.content_type)
        handler.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(reply.body)


@contextmanager
def serving(script: Script) -> Iterator[Web]:
    """Serve until the block ends."""
    web = Web(script)
    thread = threading.Thread(target=web.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield web
    finally:
        web.server.shutdown()
        web.server.server_close()
        thread.join(5)
