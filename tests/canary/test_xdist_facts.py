"""Facts about xdist and execnet that this plugin stands on, seen in one session with two workers.

The text of each assertion says which part of ``docs/architecture.md`` and
which module to read when it is red after an upgrade.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("xdist", reason="xdist is not installed")

PLUGIN = """
import json
import queue

import pytest

SEEN = {"reports": [], "messages": [], "nodes": [], "collected": 0, "order": []}
QUESTIONS = queue.SimpleQueue()

def is_worker(config):
    return hasattr(config, "workerinput")

@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    SEEN["args_in"] = [str(argument) for argument in config.args]
    config.args[:] = [str(config.rootpath / "chosen")]
    if not is_worker(config):
        config.pluginmanager.register(Controller())

@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    report.ours = "text" if report.when == "call" else ""
    return report

@pytest.fixture(autouse=True)
def ask(request):
    channel = request.config.workerinput["ours"]
    channel.send(json.dumps({"item": request.node.name}))
    assert channel.receive(timeout=30.0) == "answer"

class Controller:
    def pytest_xdist_setupnodes(self, specs):
        SEEN["nodes"] = len(specs)

    def pytest_configure_node(self, node):
        channel = node.gateway.newchannel()
        node.workerinput["ours"] = channel

        def answer(text):
            SEEN["messages"].append(text)
            channel.send("answer")

        channel.setcallback(answer)

    def pytest_xdist_node_collection_finished(self, ids):
        SEEN["collected"] += 1
        SEEN["ids"] = ids

    @pytest.hookimpl(tryfirst=True)
    def pytest_xdist_make_scheduler(self, config, log):
        from xdist.scheduler import LoadScheduling

        SEEN["dist"] = config.getoption("dist")
        return LoadScheduling(config, log)

    def pytest_runtest_logreport(self, report):
        SEEN["reports"].append([report.when, getattr(report, "ours", None)])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        manager = session.config.pluginmanager
        hooks = session.config.hook.pytest_sessionfinish.get_hookimpls()
        # The last of the list is called first.
        plugins = [hook.plugin for hook in reversed(hooks)]
        SEEN["order"] = ["ours" if one is self else manager.get_name(one) for one in plugins]
        session.exitstatus = 1

    def pytest_unconfigure(self, config):
        text = json.dumps(SEEN)
        (config.rootpath / "seen.json").write_text(text, encoding="utf-8")
"""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run six tests on two workers and return what the plugin has seen, and the exit status."""
    root = tmp_path_factory.mktemp("session")
    (root / "pytest.ini").write_text("[pytest]\n", "utf-8")
    (root / "conftest.py").write_text(PLUGIN, "utf-8")
    for folder in ("chosen", "other"):
        (root / folder).mkdir()
        test = "def test_one(): pass\ndef test_two(): pass\ndef test_three(): pass\n"
        (root / folder / f"test_{folder}.py").write_text(test, "utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    words = ["-n2", "--dist=loadfile", "-p", "no:randomly", "-p", "no:cacheprovider", "other"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    seen = Path(root, "seen.json")
    assert seen.exists(), done.stdout + done.stderr
    return {**json.loads(seen.read_text("utf-8")), "status": done.returncode, "text": done.stdout}


def test_arguments_edited_while_configuring_are_what_workers_collect(session: Any) -> None:
    assert {name.split("/")[0] for name in session["ids"]} == {"chosen"}, (
        "edge/session.py edits config.args in every process; docs/architecture.md, step 2 Collect"
    )


def test_a_channel_handed_out_in_workerinput_arrives_alive(session: Any) -> None:
    asked = sorted(json.loads(text)["item"] for text in session["messages"])
    assert asked == ["test_one", "test_three", "test_two"], (
        "edge/transport.py asks over such a channel; docs/architecture.md, step 4 Call"
    )


def test_every_worker_reports_its_collection_once(session: Any) -> None:
    assert (session["nodes"], session["collected"]) == (2, 2), (
        "edge/controller.py starts the calls with the last worker's report; "
        "docs/architecture.md, step 4 Call"
    )


def test_plain_load_scheduling_is_taken_for_its_variants(session: Any) -> None:
    assert session["dist"] == "loadfile", "edge/controller.py: pytest_xdist_make_scheduler"
    assert "3 passed" in session["text"], (
        "edge/controller.py returns LoadScheduling(config, log) for loadfile, loadscope and "
        "loadgroup; docs/architecture.md, step 4 Call"
    )


def test_a_text_on_a_report_crosses_once_with_each_report(session: Any) -> None:
    assert sorted(session["reports"]) == sorted(
        [["setup", ""], ["call", "text"], ["teardown", ""]] * 3
    ), "edge/item.py puts the result there; docs/architecture.md, step 7 Record"


def test_a_first_hook_at_the_end_runs_before_the_workers_are_shut_down(session: Any) -> None:
    order = session["order"]
    assert order.index("ours") < order.index("dsession"), (
        "edge/controller.py stops the broker while workers still listen; "
        "docs/architecture.md, step 8 Decide"
    )


def test_the_exit_status_set_at_the_end_is_returned(session: Any) -> None:
    assert session["status"] == 1, (
        "edge/controller.py raises 0 to 1 there; docs/architecture.md, step 8 Decide"
    )
