"""The environment of an adapter's process: empty, plus what was declared by name.

Nothing of pytest's own environment is passed on: it holds the keys of other
adapters, and ``PYTEST_CURRENT_TEST`` the case id. The values that were passed
are redacted in everything that is written (:class:`.redaction.Redactor`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_benchbed.adapters.redaction import Redactor
from pytest_benchbed.model.errors import UsageProblem

__all__ = ["ChildEnvironment", "Redactor", "child_environment"]

NETWORK_NAMES = (
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
)  # fmt: skip
"""Passed with ``network = "all"`` if they are set."""
OWN_NAMES = frozenset({"HOME", "TMPDIR", "TMP", "TEMP", "LANG", "PYTEST_CURRENT_TEST"})
"""Set or withheld by us; an adapter cannot declare them."""
WINDOWS_NAMES = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR")
"""Without these no program starts on Windows."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CREDENTIALS = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://[^/@]*:([^/@]+)@")


@dataclass(frozen=True, slots=True)
class ChildEnvironment:
    """Variables of the child, and the redactor of the values among them."""

    variables: dict[str, str]
    redactor: Redactor


def child_environment(
    names: Sequence[str],
    *,
    network: str = "none",
    scratch: Path,
    source: Mapping[str, str] | None = None,
) -> ChildEnvironment:
    """Make the environment of one adapter process.

    ``names`` are the declared variables; ``scratch`` becomes ``HOME`` and
    ``TMPDIR``; ``source`` is the environment to read (default: ours).

    Raises:
        UsageProblem: a declared variable is unset, is one we set ourselves, has
            no valid name, or its value is too short to be redacted.
    """
    ours = os.environ if source is None else source
    secrets = {name: _declared(name, ours) for name in dict.fromkeys(names) if name != "PATH"}
    variables = {
        "PATH": ours.get("PATH", os.defpath),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if os.name == "nt":
        variables.update({name: ours[name] for name in WINDOWS_NAMES if name in ours})
        variables.update(TEMP=str(scratch), TMP=str(scratch), USERPROFILE=str(scratch))
    if network == "all":
        for name in NETWORK_NAMES:
            if name in ours and name not in secrets:
                variables[name] = ours[name]
                secrets.update(_credentials(name, ours[name]))
    redactor = Redactor(secrets)
    variables.update({name: ours[name] for name in names if name in ours})
    return ChildEnvironment(variables, redactor)


def _declared(name: str, source: Mapping[str, str]) -> str:
    if not _NAME.fullmatch(name):
        raise UsageProblem(f"{name[:80]!a} is no name of an environment variable.")
    if name in OWN_NAMES:
        raise UsageProblem(
            f"the adapter declares the environment variable {name}, which is set for it.\n"
            "Name the folders it reads in `reads` instead."
        )
    if name not in source:
        raise UsageProblem(
            f"the adapter needs the environment variable {name}, which is not set.\n"
            f"Set it, e.g.: export {name}=…"
        )
    return source[name]


def _credentials(name: str, value: str) -> dict[str, str]:
    """Return what must be redacted of a proxy address: all of it, if it has a password."""
    found = _CREDENTIALS.match(value)
    if not found:
        return {}
    password = found.group(1)
    # A password of fewer characters stays hidden inside the whole address.
    return {name: value, f"{name} password": password} if len(password) >= 6 else {name: value}
