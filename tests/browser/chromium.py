"""A headless Chromium, driven over its debugging pipe: no port, no driver, no network.

The browser gets two file descriptors (3 to read commands from, 4 to write
events to); messages are JSON texts that end with a NUL. Names cannot be
resolved, so that whatever the browser itself would like to look up stays here.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars", "--host-resolver-rules=MAP * ~NOTFOUND",
    "--remote-debugging-pipe",
)  # fmt: skip
TIMEOUT_S = 60
WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", function (event) {
  window.violations.push(event.violatedDirective + " " + event.blockedURI);
});
"""


def find_browser() -> str | None:
    """Return the path of a browser, None if there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One browser process; use it as a context manager."""

    def __init__(self, program: str, profile: Path) -> None:
        read_end, to_browser = os.pipe()
        from_browser, write_end = os.pipe()
        # Moved up, so that neither is overwritten when they become 3 and 4.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (read_end, write_end)]
        for end in (read_end, write_end):
            os.close(end)
        null = os.open(os.devnull, os.O_RDWR)
        self._pid = os.posix_spawn(
            program,
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            os.environ | {"HOME": str(profile)},
            file_actions=[
                *((os.POSIX_SPAWN_DUP2, null, standard) for standard in (0, 1, 2)),
                (os.POSIX_SPAWN_DUP2, ends[0], 3),
                (os.POSIX_SPAWN_DUP2, ends[1], 4),
            ],
            setpgroup=0,
        )
        for end in (*ends, null):
            os.close(end)
        self._to, self._from = to_browser, from_browser
        self._buffer = b""
        self._last_id = 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._to)
        os.close(self._from)
        os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)

    def ask(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send one command and return its result; events that come first are kept."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._last_id:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, is_wanted: Callable[[dict[str, Any]], bool]) -> None:
        """Read events until one is wanted; those that came already count."""
        while not any(map(is_wanted, self.events)):
            self.events.append(self._read())

    def _read(self) -> dict[str, Any]:
        end = time.monotonic() + TIMEOUT_S
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._from, 1 << 20)
            assert data, "the browser is gone"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(line)


class Tab:
    """One page, loaded and watched."""

    def __init__(
        self,
        browser: Browser,
        path: Path,
        *,
        width: int = 1280,
        is_dark: bool = False,
        has_script: bool = True,
        fragment: str = "",
    ) -> None:
        self._browser = browser
        browser.events.clear()
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900,
                 deviceScaleFactor=1, mobile=width < 600)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Emulation.setScriptExecutionDisabled", value=not has_script)
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.ask("Page.navigate", url=path.as_uri() + fragment)
        browser.wait_for(
            lambda event: (
                event.get("method") == "Page.loadEventFired"
                and event.get("sessionId") == self._session
            )
        )

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        return self._browser.ask(method, self._session, **params)

    def run(self, expression: str) -> Any:
        """Return the value of a JavaScript expression (a promise is waited for)."""
        answer = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def key(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                     windowsVirtualKeyCode={"Tab": 9, "Enter": 13}[key],
                     text="\r" if key == "Enter" else "")  # fmt: skip

    def click(self, selector: str) -> None:
        """Click with the mouse in the middle of an element's upper edge."""
        x, y = self.run(
            f"(function (one) {{ one.scrollIntoView({{block: 'center', behavior: 'instant'}});"
            "var box = one.getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + Math.min(10, box.height / 2)]; })"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def settle(self) -> None:
        """Wait until what is to be drawn is drawn, lazy images included."""
        self.run("new Promise(done => requestAnimationFrame(() => setTimeout(done, 300)))")

    @property
    def requests(self) -> list[str]:
        """Addresses that the page has asked for so far."""
        return [
            event["params"]["request"]["url"]
            for event in self._browser.events
            if event.get("method") == "Network.requestWillBeSent"
            and event.get("sessionId") == self._session
        ]

    @property
    def complaints(self) -> list[str]:
        """What the browser's console has to say: errors, warnings, exceptions."""
        found = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            if event["method"] == "Log.entryAdded":
                found.append(event["params"]["entry"]["text"])
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(event["params"]["exceptionDetails"]["text"])
        return found

    def screenshot(self, path: Path) -> None:
        """Write a picture of what is seen, for whoever debugs a test."""
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))
