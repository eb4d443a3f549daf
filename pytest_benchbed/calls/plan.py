"""All that the broker must know about one run before its first call."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_benchbed.adapters.info import AdapterInfo
from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.calls.recorded import CallsRecord
from pytest_benchbed.model.bench_file import ModelPrice
from pytest_benchbed.model.bench_file import RetryPolicy
from pytest_benchbed.model.request import RequestCase
from pytest_benchbed.model.request import RequestContext

if TYPE_CHECKING:
    from pytest_benchbed.calls.reuse import Reuse


@dataclass(frozen=True)
class RunCalls:
    """One benchmark, one system: what to ask, how, and for how much."""

    benchmark: str
    format: str
    """Result format of the predictions."""
    drive: str | None
    """``Benchmark.drive``: what is asked for one case; None: ``adapter.predict(case)``."""
    run_id: str
    spec: AdapterSpec
    run_dir: Path
    """Holds ``calls.jsonl``, ``adapter-request.json`` and ``adapter/``."""
    files_dir: Path
    """Absolute folder of the staged copies."""
    scratch: Path
    """A private folder for the adapter's processes, removed by whoever made it."""
    view: Callable[[str], RequestCase]
    """Input-only view of a case, by id."""
    context_view: Callable[[str], RequestContext]
    """Input-only view of a context, by id."""
    category: Callable[[str], str | None]
    """Category of a case, for contexts of which the system does not produce it."""
    timeout_s: float
    """Limit of one call; of a batch: times the number of its cases."""
    budget_usd: Decimal | None = None
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    rate: str | None = None
    """``COUNT/s``, ``COUNT/min`` or ``COUNT/h``, over all slots."""
    prices: Mapping[str, ModelPrice] | None = None
    repeats: int = 1
    recorded: CallsRecord | None = None
    """The calls of the run that is resumed."""
    is_settled: bool = False
    """Whether the run that is resumed is complete: nobody is asked again in it."""
    reuse: Reuse | None = None
    """The run that outcomes may be taken over from."""
    accept: Callable[[AdapterInfo], None] = lambda info: None
    """Looks at what the adapter declares before anything is spent; raises ``UsageProblem``."""
    max_outage: int = 10
    """Infrastructure errors of one kind in a row that stop the run."""
