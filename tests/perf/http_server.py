"""A server that answers after a while and costs next to nothing: what is measured is not it."""

from __future__ import annotations

import asyncio
import json
import sys
import time

_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"


class Slow(asyncio.Protocol):
    """One kept-alive connection: whole requests in, each answered after the delay."""

    starts: list[float] = []
    ends: list[float] = []

    def __init__(self, delay_s: float) -> None:
        """``delay_s``: from the last byte of a request to its reply."""
        self.delay_s = delay_s
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when the request is whole."""
        self.buffer += data
        head, separator, body = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        self.buffer = body[length:]
        self.starts.append(time.monotonic())
        reply = json.dumps({"answer": json.loads(body[:length])["text"].upper()}).encode()
        asyncio.get_running_loop().call_later(self.delay_s, self._answer, reply)

    def _answer(self, reply: bytes) -> None:
        self.ends.append(time.monotonic())
        self.transport.write(_HEAD.format(len(reply)).encode() + reply)


async def serve(delay_s: float) -> None:
    """Print the port; when standard input ends print calls a second, from first to last."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Slow(delay_s), "127.0.0.1", 0, backlog=128)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    seconds = Slow.ends[-1] - Slow.starts[0]
    print(json.dumps({"calls": len(Slow.ends), "per_s": len(Slow.ends) / seconds}), flush=True)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
