"""The benchmarks of one pytest session: prepared in every process, before collection.

The controller and each xdist worker come here with the same command line and
end with the same plans; only the controller owns broker, ledger and gate.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

import pytest

from pytest_benchbed.edge import activation
from pytest_benchbed.edge.arguments import edit_arguments
from pytest_benchbed.edge.asking import Asker
from pytest_benchbed.edge.options import names_on_command_line
from pytest_benchbed.edge.plan import Plan
from pytest_benchbed.edge.planning import make_plans
from pytest_benchbed.edge.refused import check_combinations
from pytest_benchbed.edge.refused import is_worker
from pytest_benchbed.edge.registration import Registries
from pytest_benchbed.edge.registration import load
from pytest_benchbed.model.errors import BenchbedError

RUN_IDS = "benchbed_runs"
"""Key of ``workerinput`` for the run ids, as JSON text."""
CHANNEL = "benchbed"
"""Key of ``workerinput`` for the question channel."""


@dataclass
class BenchSession:
    """What the collector and the items need; one per process."""

    config: pytest.Config
    registries: Registries
    plans: list[Plan]
    asker: Asker | None = None
    """Set before the first item runs: the broker itself, or the channel to it."""
    usage_problem: str = ""
    """A benchmark that a user's test names and nobody has: found while collecting."""
    by_file: dict[Path, Plan] = field(init=False)
    is_dry: bool = field(init=False)
    """Whether this session only looks."""

    def __post_init__(self) -> None:
        self.is_dry = activation.is_dry(self.config)
        self.by_file = {plan.dataset.case_file.resolve(): plan for plan in self.plans}

    def plan_of_path(self, text: str) -> Plan | None:
        """Return the plan whose case file the path part of a node id means."""
        fits = [
            plan
            for file, plan in self.by_file.items()
            if text and file.as_posix().endswith("/" + text.replace("\\", "/"))
        ]
        if not fits and not text and len(self.plans) == 1:
            # pytest leaves the path empty for a file argument outside the root folder.
            return self.plans[0]
        if len(fits) > 1:
            # Of cases/a and lib/cases/a, the one that the root folder leads to.
            exact = self.by_file.get((self.config.rootpath / text).resolve())
            fits = [plan for plan in fits if plan is exact]
        return fits[0] if fits else None


SESSION = pytest.StashKey[BenchSession]()


def configure(config: pytest.Config) -> None:
    """Make the plans, edit the arguments and register what the session needs.

    Raises:
        pytest.UsageError: nothing has been started or written.
    """
    try:
        session = _prepare(config)
    except BenchbedError as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[SESSION] = session
    given = config.args_source is pytest.Config.ArgsSource.ARGS
    config.args[:] = edit_arguments(
        config.args,
        [_argument(config, plan) for plan in session.plans],
        are_given=given,
        bench_is_typed=names_on_command_line(config),
        base=config.invocation_params.dir,
    )

    from pytest_benchbed.edge.collector import Collector
    from pytest_benchbed.edge.item import ItemReports

    config.pluginmanager.register(Collector(session), "benchbed-collector")
    config.pluginmanager.register(ItemReports(), "benchbed-item-reports")
    if is_worker(config):
        from pytest_benchbed.edge.transport import Proxy

        for plan in session.plans:
            plan.read_compared()
        session.asker = Proxy(config.workerinput[CHANNEL])  # type: ignore[attr-defined]
        from pytest_benchbed.edge.worker import Worker

        config.pluginmanager.register(Worker(session), "benchbed-worker")
    else:
        from pytest_benchbed.edge.controller import register_controller

        register_controller(session)


def _prepare(config: pytest.Config) -> BenchSession:
    run_ids = None
    if is_worker(config):
        run_ids = json.loads(config.workerinput[RUN_IDS])  # type: ignore[attr-defined]
    else:
        check_combinations(config)
    registries = load(config, activation.named_datasets(config))
    return BenchSession(config, registries, make_plans(config, registries, run_ids))


def _argument(config: pytest.Config, plan: Plan) -> Path:
    """Return the folder that pytest gets as argument for a dataset.

    Outside the root folder a file or dataset argument would lose its path in
    the node ids, so the registered root is given and its other folders ignored.
    """
    root = plan.dataset.root.resolve()
    if root.is_relative_to(config.rootpath):
        return root
    return plan.registered.argument_root.resolve()
