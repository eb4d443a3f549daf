"""What crosses to the adapter, and the digests of it: input-only, built in one place.

``adapter-request.json`` is written for Python adapters too, so that a reader of
the run sees what was asked; they get the same case by case, in frames.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from pytest_benchbed.calls.plan import RunCalls
from pytest_benchbed.model.canonical import canonical
from pytest_benchbed.model.canonical import digest
from pytest_benchbed.model.canonical import sha256_hex
from pytest_benchbed.model.money import to_json
from pytest_benchbed.model.request import AdapterRequest
from pytest_benchbed.model.request import RequestCase
from pytest_benchbed.model.request import RequestContext


def case_message(plan: RunCalls, view: RequestCase, attempt: int) -> dict[str, Any]:
    """Return a case as a Python adapter gets it, with absolute paths of the staged copies."""
    return {
        "id": view.id,
        "benchmark": plan.benchmark,
        "inputs": view.inputs,
        "files": _paths(plan, view),
        "context": view.context,
        "attempt": attempt,
    }


def context_message(plan: RunCalls, view: RequestContext) -> dict[str, Any]:
    """Return a context in the same form; it has no context of its own."""
    return {
        "id": view.id,
        "benchmark": plan.benchmark,
        "inputs": view.inputs,
        "files": _paths(plan, view),
        "context": None,
        "attempt": 1,
    }


def _paths(plan: RunCalls, view: RequestCase | RequestContext) -> dict[str, str]:
    return {file.path: str(plan.files_dir / file.path) for file in view.files}


class CaseDigests:
    """Digests of requests as one case sees them: what they share is encoded once.

    Without run id, budget and staging folder: an equal digest means that the
    system was asked the same, in whichever run.
    """

    def __init__(self, plan: RunCalls, attempt: int) -> None:
        """``attempt``: of all of them."""
        asked = canonical(_asked(plan, attempt))
        # The keys in canonical order; case and context stand after the benchmark.
        before = canonical({"attempt": attempt, "benchmark": plan.benchmark})[:-1]
        self._head = before + b',"case":'
        self._tail = asked[len(before) :]

    def of(self, case: bytes, context: bytes) -> str:
        """Digest a case and its context, by their :func:`case_text`."""
        return sha256_hex(b'%b%b,"context":%b%b' % (self._head, case, context, self._tail))


def case_text(view: RequestCase | RequestContext | None) -> bytes:
    """Return a case or a context as it stands in the request."""
    return b"null" if view is None else canonical(_row(view))


def context_digest(plan: RunCalls, context: RequestContext) -> str:
    """Digest what ``prepare`` is given."""
    return digest({**_asked(plan, 1), "case": None, "context": _row(context)})


def batch_digest(plan: RunCalls, attempt: int, cases: Iterable[str]) -> str:
    """Digest the request of a batch, by the digests of its cases in order."""
    return digest({**_asked(plan, attempt), "cases": list(cases)})


def _asked(plan: RunCalls, attempt: int) -> dict[str, Any]:
    return {
        "benchmark": plan.benchmark,
        "format": plan.format,
        "model": plan.spec.model,
        "options": plan.spec.options,
        "attempt": attempt,
    }


def _row(view: RequestCase | RequestContext | None) -> dict[str, Any] | None:
    """Return the JSON form; by hand, since a model's own takes longer than the digest."""
    if view is None:
        return None
    row: dict[str, Any] = {
        "id": view.id,
        "inputs": view.inputs,
        "files": [
            {"path": file.path, "size": file.size, "sha256": file.sha256} for file in view.files
        ],
    }
    if isinstance(view, RequestCase) and view.context is not None:
        row["context"] = view.context
    return row


def batch_request(
    plan: RunCalls, cases: Sequence[str], attempt: int, budget_usd: Decimal | None
) -> AdapterRequest:
    """Return the request of an executable for ``cases``; ``budget_usd``: what it may spend."""
    views = [plan.view(case) for case in cases]
    contexts = dict.fromkeys(view.context for view in views if view.context is not None)
    return AdapterRequest(
        run_id=plan.run_id,
        benchmark=plan.benchmark,
        format=plan.format,
        model=plan.spec.model,
        budget_usd=budget_usd,
        options=plan.spec.options,
        attempt=attempt,
        files_dir=str(plan.files_dir),
        contexts=[plan.context_view(name) for name in contexts],
        cases=views,
    )


def write_request(
    path: Path,
    plan: RunCalls,
    cases: Iterable[str],
    attempt: int,
    budget_usd: Decimal | None,
    texts: Mapping[str, bytes] | None = None,
) -> None:
    """Write ``adapter-request.json`` without holding more than one case in memory.

    ``texts``: :func:`case_text` of the cases, where they are at hand.

    Raises:
        OSError: the folder cannot be written.
    """
    names: dict[str, None] = {}
    tail = {
        "files_dir": str(plan.files_dir),
        "format": plan.format,
        "model": plan.spec.model,
        "options": plan.spec.options,
        "run_id": plan.run_id,
        "schema": AdapterRequest.model_fields["schema_"].default,
    }

    def parts() -> Iterable[bytes]:
        # Canonical order of the keys: attempt, benchmark, budget_usd, cases, contexts, files_dir…
        head = {
            "attempt": attempt,
            "benchmark": plan.benchmark,
            "budget_usd": to_json(budget_usd),
        }
        yield canonical(head)[:-1] + b',"cases":['
        for number, case in enumerate(cases):
            view = plan.view(case)
            if view.context is not None:
                names[view.context] = None
            yield (b"," if number else b"") + (texts[case] if texts else case_text(view))
        yield b'],"contexts":['
        for number, name in enumerate(names):
            yield (b"," if number else b"") + case_text(plan.context_view(name))
        yield b"]," + canonical(tail)[1:] + b"\n"

    _write_atomic(path, parts())


def _write_atomic(path: Path, parts: Iterable[bytes]) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
