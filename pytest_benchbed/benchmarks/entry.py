"""Load what a registration names by text: ``module:name``.

Benchmark code runs in the pytest process and is therefore imported here;
adapters never are. Whatever goes wrong becomes one sentence that names the
entry, the cause and its place.
"""

from __future__ import annotations

import re
import traceback
from difflib import get_close_matches
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term

_ENTRY = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


def check_entry(entry: str, example: str) -> None:
    """Refuse text that is not of the form ``module:name``, before anything is imported.

    Raises:
        UsageProblem: with ``example`` as the form to follow.
    """
    if _ENTRY.fullmatch(entry) is None:
        raise UsageProblem(
            f"cannot register benchmark {term(entry, 80)!r}: it is no 'module:name'.\n"
            f"Write it like this: {example!r}"
        )


def load_entry(entry: str) -> Any:
    """Import the module of ``entry`` and return the object it names.

    Raises:
        UsageProblem: the module cannot be imported, or has no such name.
    """
    module_name, _, name = entry.partition(":")
    try:
        module = import_module(module_name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may also call sys.exit() or pytest.skip()
        raise UsageProblem(
            f"cannot load benchmark {entry!r}: importing {module_name} raised "
            f"{type(error).__name__}: {term(error, 160)}{_place(error)}.\n"
            f"Mend it or drop the registration; try: python -c 'import {module_name}'"
        ) from error
    try:
        return reduce(getattr, name.split("."), module)
    except AttributeError:
        near = get_close_matches(name, dir(module), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UsageProblem(
            f"cannot load benchmark {entry!r}: module {module_name} has no {name!r}.{hint}\n"
            f"Correct the name in the registration."
        ) from None


def _place(error: BaseException) -> str:
    """Return `` (file:line)`` of the statement that raised, if it stands in a file."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<frozen") and "importlib" not in frame.filename
    ]
    # The first frame is load_entry itself.
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if len(frames) > 1 else ""
