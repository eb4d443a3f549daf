"""The adapters in the box, seen from pytest's side: checked and fitted before a run exists.

Their options are read here by the code that reads them again in the adapter's
process, so that a mistake is told before anything is started, and what they
need (names, network, paths) is known before the process has to be confined.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from pytest_benchbed.adapters.spec import AdapterSpec
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term

HTTP: Final = "pytest_benchbed.adapters.http_adapter"
PREDICTIONS: Final = "pytest_benchbed.adapters.predictions"
COMMAND: Final = "pytest_benchbed.adapters.command_adapter"
OPENAI: Final = "pytest_benchbed.adapters.openai_adapter"
NAMED: Final = 6


def is_boxed(spec: AdapterSpec) -> bool:
    """Say whether it is one of the adapters that are set up by options alone."""
    return spec.module in (HTTP, PREDICTIONS, COMMAND, OPENAI)


def fit(spec: AdapterSpec) -> AdapterSpec:
    """Return a spec with what its options say it needs; others than ours as they are.

    Raises:
        UsageProblem: naming the option, or the line of a file, and what to do.
    """
    if spec.module == HTTP:
        from pytest_benchbed.adapters.http_settings import HttpSettings

        http = HttpSettings.read(spec.options, spec.env)
        return _granted(spec, env=http.names, network="all")
    if spec.module == OPENAI:
        return _fit_openai(spec)
    if spec.module == COMMAND:
        from pytest_benchbed.adapters.command_settings import CommandSettings

        command = CommandSettings.read(spec.options, spec.folders)
        return _granted(spec, reads=command.reads)
    if spec.module == PREDICTIONS:
        from pytest_benchbed.adapters.prediction_settings import PredictionSettings

        settings = PredictionSettings.read(spec.options, spec.folders)
        return replace(_granted(spec, reads=(str(settings.path),)), is_replay=True)
    return spec


def unmatched(spec: AdapterSpec, known: Collection[str], asked: Iterable[str]) -> list[str]:
    """Return sentences about outputs without a case or a cost, and cases without an output.

    ``known``: all ids of the dataset; ``asked``: those of the run.

    Raises:
        UsageProblem: with file and line of what cannot be read.
    """
    from pytest_benchbed.adapters.prediction_settings import PredictionSettings
    from pytest_benchbed.adapters.recorded import read_outputs

    settings = PredictionSettings.read(spec.options, spec.folders)
    outputs = read_outputs(settings.path, settings)
    extra = [case for case in outputs if case not in known]
    cases = list(asked)
    lacking = [case for case in cases if case not in outputs]
    replayed = [case for case in cases if case in outputs]
    unpriced = [case for case in replayed if outputs[case].cost_usd is None]
    lines = []
    if extra:
        lines.append(f"{_some(extra, 'id')} in {settings.path.name} that the dataset has not")
    if lacking:
        lines.append(f"{_some(lacking, 'case')} without a row in {settings.path.name}")
    if unpriced and len(unpriced) < len(replayed):
        what = _some(unpriced, "case")
        lines.append(f"{what} without a cost in {settings.path.name}: the spend is without them")
    return lines


def _fit_openai(spec: AdapterSpec) -> AdapterSpec:
    from pytest_benchbed.adapters.openai_settings import OpenAISettings
    from pytest_benchbed.adapters.openai_settings import check_installed

    settings = OpenAISettings.read(spec.options, spec.folders, spec.env)
    check_installed()
    if not spec.model:
        raise UsageProblem(
            'adapter openai: name the model: --bench-model=NAME, or "model" in the bench file.'
        )
    env = () if settings.api_key is None else (settings.api_key,)
    fitted = _granted(spec, env=env, network="all", reads=settings.reads)
    return replace(fitted, settings=settings.digests)


def _granted(
    spec: AdapterSpec,
    *,
    env: tuple[str, ...] = (),
    network: str = "none",
    reads: tuple[str, ...] = (),
) -> AdapterSpec:
    """Fill in what the bench file leaves open; the paths are needed in any case."""
    return replace(
        spec,
        env=env if spec.env is None else spec.env,
        network=network if spec.network is None else spec.network,
        reads=tuple(dict.fromkeys((*(spec.reads or ()), *reads))),
        allow=() if spec.allow is None else spec.allow,
    )


def _some(names: list[str], noun: str) -> str:
    shown = ", ".join(term(name, 60) for name in names[:NAMED])
    more = ", …" if len(names) > NAMED else ""
    return f"{len(names)} {noun}{'s' if len(names) != 1 else ''} ({shown}{more})"
