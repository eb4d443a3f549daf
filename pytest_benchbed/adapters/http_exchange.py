"""One request and its response over HTTP: kept-alive connections, proxies, a deadline.

Standard library only. Redirects are not followed: what follows one is mostly a
login page, which must not be scored.
"""

from __future__ import annotations

import http.client
import select
import socket
import ssl
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult
from urllib.parse import unquote
from urllib.parse import urlsplit
from urllib.request import getproxies_environment
from urllib.request import proxy_bypass

from pytest_benchbed.adapters.deadlines import Deadlines
from pytest_benchbed.adapters.deadlines import Watched
from pytest_benchbed.model.errors import TechnicalFailure

MAX_BODY = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Response:
    """What came back; the body is at most ``MAX_BODY`` + 1 bytes."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Connections:
    """Connections to one or a few hosts, kept open between calls; thread-safe."""

    def __init__(self, timeout_s: float) -> None:
        """``timeout_s``: for a whole call, and for each step of it, such as connecting."""
        self._timeout_s = timeout_s
        self._deadlines = Deadlines(timeout_s)
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[http.client.HTTPConnection]] = {}
        self._is_closed = False
        self._tls: ssl.SSLContext | None = None
        self._proxies = getproxies_environment()

    def send(self, request: Request) -> Response:
        """Send a request and read its response.

        Raises:
            TechnicalFailure: kind ``timeout`` or ``connection``.
        """
        parts = urlsplit(request.url)
        place = (parts.scheme, parts.netloc)
        watched: Watched | None = None
        try:
            connection = self._take(place) or self._open(parts)
            watched = self._deadlines.begin()
            try:
                if connection.sock is None:
                    # A proxy may take its time too, and so may each address of a name.
                    connection._create_connection = watched.connect  # type: ignore[attr-defined]
                    connection.connect()
                self._hold(watched, connection.sock)
                response = self._exchange(connection, request, parts)
                if watched.is_late:
                    # What was cut off may look whole: a body without a length ends with the line.
                    raise TimeoutError
            except BaseException:
                connection.close()
                raise
            finally:
                self._deadlines.end(watched)
        except Exception as error:
            # A step took as long as the whole call may, or all of them did.
            if isinstance(error, TimeoutError) or (watched is not None and watched.is_late):
                detail = f"no whole reply in {self._timeout_s:g} s (option timeout_s)"
                raise TechnicalFailure("timeout", detail) from None
            if not isinstance(error, OSError | http.client.HTTPException):
                raise
            text = f"{request.method} {parts.scheme}://{parts.netloc}{parts.path}: {_words(error)}"
            raise TechnicalFailure("connection", text) from None
        with self._lock:
            if self._is_closed:
                connection.close()
            elif connection.sock is not None:
                self._idle.setdefault(place, []).append(connection)
        return response

    def _hold(self, watched: Watched, sock: socket.socket | None) -> None:
        assert sock is not None, "it is connected"
        sock.settimeout(self._timeout_s)
        watched.hold(sock)

    def close(self) -> None:
        """Close all connections: what is still under way fails."""
        self._deadlines.close()
        with self._lock:
            self._is_closed = True
            for connections in self._idle.values():
                for connection in connections:
                    connection.close()
            self._idle.clear()

    def _take(self, place: tuple[str, str]) -> http.client.HTTPConnection | None:
        while True:
            with self._lock:
                waiting = self._idle.get(place)
                if not waiting:
                    return None
                connection = waiting.pop()
            # The server may have closed it meanwhile: then a request would be lost on it,
            # and asking again might pay twice.
            if not _has_ended(connection.sock):
                return connection
            connection.close()

    def _open(self, parts: SplitResult) -> http.client.HTTPConnection:
        host = parts.hostname or ""
        proxy = self._proxies.get(parts.scheme) or self._proxies.get("all")
        if proxy and not proxy_bypass(parts.netloc):
            return self._through(urlsplit(proxy if "//" in proxy else f"//{proxy}"), parts)
        if parts.scheme == "https":
            return http.client.HTTPSConnection(
                host, parts.port, timeout=self._timeout_s, context=self._context()
            )
        return http.client.HTTPConnection(host, parts.port, timeout=self._timeout_s)

    def _through(self, proxy: SplitResult, parts: SplitResult) -> http.client.HTTPConnection:
        headers = {}
        if proxy.username is not None:
            import base64

            pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
            headers["Proxy-Authorization"] = f"Basic {base64.b64encode(pair).decode('ascii')}"
        if parts.scheme == "https":
            secure = http.client.HTTPSConnection(
                proxy.hostname or "", proxy.port, timeout=self._timeout_s, context=self._context()
            )
            secure.set_tunnel(parts.hostname or "", parts.port or 443, headers)
            return secure
        return _ProxyConnection(
            proxy.hostname or "", proxy.port, timeout=self._timeout_s, proxy_headers=headers
        )

    def _context(self) -> ssl.SSLContext:
        with self._lock:
            if self._tls is None:
                self._tls = ssl.create_default_context()
            return self._tls

    def _exchange(
        self, connection: http.client.HTTPConnection, request: Request, parts: SplitResult
    ) -> Response:
        target = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
        headers = dict(request.headers)
        if isinstance(connection, _ProxyConnection):
            target = parts._replace(fragment="").geturl()
            headers.update(connection.proxy_headers)
        connection.request(request.method, target, request.body, headers)
        response = connection.getresponse()
        body = response.read(MAX_BODY + 1)
        if len(body) > MAX_BODY:
            connection.close()
        elif response.length:
            # The reader takes a body that ends early for whole where it is told how much to read.
            raise http.client.IncompleteRead(body, response.length)
        return Response(response.status, response.headers, body)


class _ProxyConnection(http.client.HTTPConnection):
    """To a proxy that is asked for whole addresses."""

    def __init__(
        self, host: str, port: int | None, *, timeout: float, proxy_headers: Mapping[str, str]
    ) -> None:
        super().__init__(host, port, timeout=timeout)
        self.proxy_headers = proxy_headers


def _has_ended(sock: socket.socket | None) -> bool:
    """Say whether an idle connection has something to read: its end, or what nobody asked for."""
    if sock is None:
        return True
    if sys.platform == "win32":
        return bool(select.select([sock], [], [], 0)[0])
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{type(error).__name__}: {error.strerror}"
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
