"""Import a table of the user's: ``python -m tests.perf.importing FOLDER COUNT``.

Prints one JSON object: the seconds of ``benchbed init`` from its start to its
end over a CSV file of ``COUNT`` rows, as a spreadsheet in Spanish writes one.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from pathlib import Path

from tests.perf.inside import least

COMMAND = "import sys; from pytest_benchbed.cli.main import main; sys.exit(main())"


def write_table(path: Path, count: int) -> None:
    """Write ``count`` rows: an id, a text, three fields of an answer, and two columns beside."""
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.writer(file, delimiter=";")
        table.writerow(["nº", "text", "total", "date", "currency", "source", "page"])
        for number in range(count):
            total = f"{number % 900 + 100}.{number % 1000:03},{number % 100:02}"
            text = f"Invoice {number} of the company Río Claro, in all {total} euros"
            date = f"{number % 28 + 1:02}/{number % 12 + 1:02}/2024"
            table.writerow([f"INV {number}", text, total, date, "EUR", "scan", number % 9])


def import_s(folder: Path, count: int) -> float:
    """Return the seconds of the command, the least of several rounds."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder / "rows.csv", count)
    rounds = iter(range(1_000))

    def run() -> None:
        words = [f"init invoices-{next(rounds)} --from=rows.csv --id=nº --input=text"]
        words += ["--answer=total --answer=date --answer=currency --type=fields"]
        subprocess.run(
            [sys.executable, "-c", COMMAND, *" ".join(words).split()],
            cwd=folder,
            check=True,
            capture_output=True,
        )

    found = least(run, time.monotonic)
    cases = folder / "cases" / "invoices-0" / "v1" / "cases.jsonl"
    with cases.open("rb") as file:
        assert sum(1 for _ in file) == count
    return found


if __name__ == "__main__":
    print(json.dumps({"import_s": import_s(Path(sys.argv[1]), int(sys.argv[2]))}))
