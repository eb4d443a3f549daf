"""Build the wheel, install it alone, and use it in an empty folder as a newcomer would.

A script, not a test: it needs a virtual environment of its own and the
packages of the core. Run it with: python tests/wheel/check_wheel.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BENCH = "--bench=table-separators"
PROMISED = (
    "pytest_benchbed/py.typed",
    "pytest_benchbed/packaged/cases/table-separators/synthetic-v1/manifest.json",
    "pytest_benchbed/packaged/cases/table-separators/synthetic-v1/answers.jsonl",
    "pytest_benchbed/packaged/fixtures/table-separators/correct.json",
    "pytest_benchbed/packaged/fixtures/table-separators/wrong.json",
    "pytest_benchbed/runs/__init__.py",
)
FORBIDDEN = re.compile(r"^(tests|runs|\.ci|\.github)/|\.pyc$|/runs/.*/run\.json$")


def main() -> int:
    """Return 0 if everything a newcomer types works."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        wheel = build(work / "dist")
        check_contents(wheel)
        scripts = install(wheel, work / "venv")
        empty = work / "empty"
        empty.mkdir()
        check_green_run(scripts, empty)
        check_pasted_commands(scripts, empty)
        start = work / "start"
        start.mkdir()
        check_quickstart(scripts, start)
    say("everything a newcomer types works")
    return 0


def build(into: Path) -> Path:
    """Build the wheel in an isolated environment and return its path."""
    call([sys.executable, "-m", "build", "--wheel", "--outdir", str(into), str(ROOT)], ROOT, 0)
    (wheel,) = into.glob("*.whl")
    say(f"built {wheel.name}, {wheel.stat().st_size // 1024} KiB")
    return wheel


def check_contents(wheel: Path) -> None:
    """Make sure that data and licence travel, and nothing else does."""
    names = zipfile.ZipFile(wheel).namelist()
    missing = [name for name in PROMISED if name not in names]
    foreign = [name for name in names if FORBIDDEN.search(name)]
    if missing or foreign or not any(name.endswith("licenses/LICENSE") for name in names):
        raise SystemExit(f"the wheel lacks {missing} or its licence, or holds {foreign}")
    say(f"{len(names)} files, data and licence among them")


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel, with nothing but its own requirements, and return the scripts folder."""
    venv.create(folder, with_pip=True)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    call([str(scripts / "python"), "-m", "pip", "install", "-q", str(wheel)], folder, 0)
    say("installed in an environment of its own")
    return scripts


def check_green_run(scripts: Path, empty: Path) -> None:
    """The packaged dataset runs with no other option, and every case passes."""
    text = shell(f"pytest {BENCH}", scripts, empty, 0)
    (passed,) = re.findall(r"(\d+) passed", text)
    if "failed" in text.splitlines()[-1] or int(passed) < 150:
        raise SystemExit(f"the packaged dataset did not run as promised:\n{text}")
    say(f"pytest {BENCH}: all {passed} packaged cases passed")


def check_pasted_commands(scripts: Path, empty: Path) -> None:
    """Each command printed under a failing case runs that case alone, and fails again."""
    text = shell(f"pytest {BENCH} --bench-adapter-option=variant=baseline", scripts, empty, 1)
    commands = list(dict.fromkeys(re.findall(r"again: (\S.*?)\s*$", text, re.MULTILINE)))
    if not commands:
        raise SystemExit(f"no command was printed for a failing case:\n{text}")
    for command in commands[:3]:
        again = shell(command, scripts, empty, 1)
        if not re.search(r"\b1 failed\b", again) or re.search(r"\d+ passed", again):
            raise SystemExit(f"pasting this did not run its one case: {command}\n{again}")
    say(f"{len(commands)} commands printed; the first {min(3, len(commands))}, pasted, work")


def check_quickstart(scripts: Path, empty: Path) -> None:
    """What the quickstart says is typed as it stands, with the wheel alone."""
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "root, folder = map(Path, sys.argv[1:])\n"
        # Of the clone only what reads and types the page.
        "sys.path.insert(0, str(root))\n"
        "from tests.arch import docs_blocks\n"
        "page = docs_blocks.read_page((root / 'docs/quickstart.md').read_text('utf-8'))\n"
        "docs_blocks.run_page(page, folder, root)\n"
    )
    call([str(scripts / "python"), "-c", code, str(ROOT), str(empty)], empty, 0)
    say("docs/quickstart.md does what it says")


def shell(command: str, scripts: Path, folder: Path, expected: int) -> str:
    """Run a command line the way a person pastes it."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment["PATH"] = f"{scripts}{os.pathsep}{environment['PATH']}"
    shown = ["cmd", "/c", command] if os.name == "nt" else ["bash", "-c", command]
    return call(shown, folder, expected, environment)


def call(
    command: list[str], folder: Path, expected: int, environment: dict[str, str] | None = None
) -> str:
    """Run a command and return what it printed; its exit status must be the expected one."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=900,
        check=False,
    )
    if done.returncode != expected:
        raise SystemExit(
            f"exit status {done.returncode} instead of {expected} from: {command}\n{done.stdout}"
        )
    return done.stdout


def say(sentence: str) -> None:
    """Print what was shown, at once: the next step may take a minute."""
    print(f"wheel: {sentence}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
