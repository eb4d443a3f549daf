"""Benchmark types by name, checked when they are registered.

A class is checked at once. What is named by text is imported at the first
question, so that a session without benchmarks imports none of it; then every
registration is loaded, because only the class knows its id.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_benchbed.benchmarks.base import Benchmark
from pytest_benchbed.benchmarks.declaration import checked_type
from pytest_benchbed.benchmarks.declaration import type_name
from pytest_benchbed.benchmarks.entry import check_entry
from pytest_benchbed.benchmarks.entry import load_entry
from pytest_benchbed.benchmarks.function import check_declared
from pytest_benchbed.benchmarks.function import type_of_function
from pytest_benchbed.model.errors import UsageProblem
from pytest_benchbed.model.escape import term
from pytest_benchbed.model.names import unknown_name

LIST = "pytest --bench-list"
MakeType = Callable[[bool], Benchmark | None]
"""Makes the type of a bench file, None if it names none; told whether a plugin has one."""


class BenchmarkRegistry:
    """What the hook ``pytest_benchbed_benchmarks`` fills."""

    def __init__(self) -> None:
        """Start empty."""
        self.plugin = ""
        """Who registers now; set by the caller of the hooks, for messages."""
        self._types: dict[str, Benchmark] = {}
        self._plugins: dict[str, str] = {}
        self._pending: list[tuple[str, Callable[[], Benchmark]]] = []
        self._scorers: dict[str, tuple[str, dict[str, Any]]] = {}
        self._files: dict[str, MakeType] = {}
        self._refused: dict[str, UsageProblem] = {}

    def add(self, benchmark: type[Benchmark] | str) -> None:
        """Register a type: a class, or ``"module:Class"`` to import it when it is needed.

        The same type twice is fine.

        Raises:
            UsageProblem: the declaration is refused, or the id is taken by another class.
        """
        if not isinstance(benchmark, str):
            self._enter(checked_type(benchmark), self.plugin)
            return
        check_entry(benchmark, "my_package.my_module:MyBenchmark")
        self._pending.append((self.plugin, lambda: checked_type(load_entry(benchmark))))

    def add_scorer(self, benchmark_id: str, entry: str, **declared: Any) -> None:
        """Register a type made of one function ``f(prediction, expected)``.

        It returns true or false, ``{check: bool}``, or a number in [0, 1]; for
        a number declare ``at_least={"score": v}`` or ``tolerance={"score": t}``.
        Every other declaration of a type may be given, such as ``label``,
        ``headline`` or ``scoring_version``.

        Raises:
            UsageProblem: a bad entry, an unknown declaration, or an id registered
                with another function.
        """
        check_entry(entry, "my_package.my_module:my_function")
        check_declared(benchmark_id, declared)
        known = self._scorers.setdefault(benchmark_id, (entry, declared))
        if known != (entry, declared):
            raise UsageProblem(
                f"scorer {term(benchmark_id, 80)!r} is registered twice, as {known[0]!r} and as "
                f"{entry!r} or with other declarations.\nGive one of them another id."
            )
        if known[1] is declared:  # else it was registered before, with equal declarations
            self._pending.append(
                (
                    self.plugin,
                    lambda: checked_type(
                        type_of_function(benchmark_id, entry, load_entry(entry), declared)
                    ),
                )
            )

    def add_from_file(self, benchmark_id: str, make: MakeType) -> None:
        """Register what the bench file of a benchmark may say about its type.

        ``make`` is called at the first question, after all plugins. A fault of
        one file is told where its benchmark is asked for, and stops no other.
        """
        self._files[benchmark_id] = make

    def get(self, name: str) -> Benchmark:
        """Return the type with this id.

        Raises:
            UsageProblem: an unknown id (with the nearest one), a registration
                that cannot be loaded, or what the bench file's type is refused for.
        """
        self._load()
        if name in self._refused:
            raise self._refused[name]
        if name not in self._types:
            raise UsageProblem(unknown_name("benchmark", name, self._types, LIST))
        return self._types[name]

    def names(self) -> list[str]:
        """Return all ids, sorted."""
        self._load()
        return sorted({*self._types, *self._refused})

    def family(self, name: str) -> list[str]:
        """Return the ids of a family, sorted; empty if there is no such family."""
        self._load()
        return sorted(key for key, kind in self._types.items() if kind.family == name)

    def plugin_of(self, name: str) -> str:
        """Return the plugin that registered a known type, as it is named to users; ``""``: none."""
        self._load()
        return self._plugins.get(name, "")

    def _load(self) -> None:
        while self._pending:
            # Removed only when it is in: a fault is told again at the next question.
            plugin, loader = self._pending[0]
            try:
                self._enter(loader(), plugin)
            except UsageProblem as problem:
                if not plugin:
                    raise
                raise UsageProblem(f"{problem}\nRegistered by plugin {plugin}.") from problem
            del self._pending[0]
        while self._files:
            name, make = self._files.popitem()
            try:
                made = make(name in self._types)
                if made is not None:
                    self._enter(made, "")
            except UsageProblem as problem:
                self._refused[name] = problem

    def _enter(self, benchmark: Benchmark, plugin: str) -> None:
        who = type_name(type(benchmark))
        for known in self._types.values():
            other = type_name(type(known))
            if known.id.casefold() == benchmark.id.casefold():
                if type(known) is type(benchmark):
                    return
                raise UsageProblem(
                    f"benchmark id {benchmark.id!r} is registered twice: by {other} and by {who}.\n"
                    f"Ids are unique, ignoring case: rename one, or unload its plugin with "
                    f"-p no:NAME."
                )
            if benchmark.family == known.id or known.family == benchmark.id:
                name = known.id if benchmark.family == known.id else benchmark.id
                raise UsageProblem(
                    f"{name!r} is both an id and a family, declared by {other} and by {who}.\n"
                    f"--bench={name} could mean both: rename one."
                )
        self._types[benchmark.id] = benchmark
        self._plugins[benchmark.id] = plugin
