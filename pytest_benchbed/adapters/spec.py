"""Everything that is known about an adapter before any of its code runs."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from typing import Literal

from pytest_benchbed.adapters.limits import Limits

if TYPE_CHECKING:
    from pytest_benchbed.model.bench_file import BenchAdapter

Kind = Literal["class", "executable"]


@dataclass(frozen=True, slots=True)
class Located:
    """Where the code of an adapter lies, found without importing it."""

    kind: Kind
    """A plain function is of kind ``class`` too."""
    entry: str
    """As the user wrote it."""
    path: Path
    """The module's file, or the executable; absolute."""
    folder: Path | None = None
    """What goes on the import path of the child; None for an executable."""
    module: str | None = None
    attribute: str | None = None
    code_sha256: str = ""
    """Of the bytes of ``path``."""


@dataclass(frozen=True, slots=True)
class AdapterSpec:
    """One adapter, its options, and what the bench file says about it.

    A declaration that is None was not set by the bench file: the class is
    asked; an executable has the default (no names, no network, not deterministic).
    """

    name: str
    kind: Kind
    entry: str
    path: Path
    folder: Path | None = None
    module: str | None = None
    attribute: str | None = None
    code_sha256: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    model: str | None = None
    env: tuple[str, ...] | None = None
    network: str | None = None
    reads: tuple[str, ...] | None = None
    allow: tuple[str, ...] | None = None
    deterministic: bool | None = None
    fresh_process: bool | None = None
    max_cost_usd: Decimal | None = None
    limits: Limits = field(default_factory=Limits)
    pythonpath: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()
    """Where a relative path in an option is looked for, in this order."""
    settings: tuple[str, ...] = ()
    """``name=value`` of what makes the system itself and is no option: digests of files."""
    is_replay: bool = False
    """It gives outputs that were recorded before: latency is what was recorded."""


def make_spec(
    name: str,
    located: Located,
    *,
    options: Mapping[str, Any] | None = None,
    model: str | None = None,
    bench: BenchAdapter | None = None,
    pythonpath: Sequence[Path] = (),
    call_s: float | None = None,
    folders: Sequence[Path] = (),
) -> AdapterSpec:
    """Put an adapter together; the command line goes before the bench file.

    ``options`` replace those of the bench file one by one; ``call_s`` is
    ``--bench-timeout``.

    Raises:
        UsageProblem: the bench file names an unknown limit or a bad value.
    """
    limits = Limits().with_overrides(bench.limits or {} if bench else {})
    if call_s is not None:
        limits = limits.with_overrides({"call_s": call_s})

    def declared(values: list[str] | None) -> tuple[str, ...] | None:
        return None if values is None else tuple(values)

    return AdapterSpec(
        name=name,
        kind=located.kind,
        entry=located.entry,
        path=located.path,
        folder=located.folder,
        module=located.module,
        attribute=located.attribute,
        code_sha256=located.code_sha256,
        options={**(bench.options if bench else {}), **(options or {})},
        model=model if model is not None else (bench.model if bench else None),
        env=declared(bench.env) if bench else None,
        network=bench.network if bench else None,
        reads=declared(bench.reads) if bench else None,
        allow=declared(bench.allow) if bench else None,
        deterministic=bench.deterministic if bench else None,
        fresh_process=bench.fresh_process if bench else None,
        max_cost_usd=bench.max_cost_usd if bench else None,
        limits=limits,
        pythonpath=tuple(pythonpath),
        folders=tuple(folders),
    )
