"""Drill: many cases, one in ten wrong, two xdist workers.

``python -m tests.drills.many_wrong [--cases=10000]``
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from tests.crash.sessions import Session
from tests.crash.sessions import stable_rows
from tests.drills.repository import repository


def main() -> int:
    """Print what happened; 0 if every case was asked once and every wrong one found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    count = parser.parse_args().cases
    wrong = {f"t-{number:03}": ["cell"] for number in range(10, count + 1, 10)}
    with repository(count, wrong) as bench:
        started = time.monotonic()
        session = Session(bench, "--bench-run=own", "-n2").end(wait_s=3600)
        seconds = time.monotonic() - started
        calls = Counter(bench.calls())
        found = [row["case"] for row in stable_rows(bench) if row["errors"]["main"]]
        is_good = (
            session.code == 1
            and len(calls) == count
            and set(calls.values()) == {1}
            and found == sorted(wrong)
            and session.left() == []
        )
        print(f"{count} cases, {len(wrong)} wrong, -n 2: exit {session.code}")
        print(
            f"asked once each: {'yes' if set(calls.values()) == {1} else 'NO'}, {len(calls)} calls"
        )
        print(f"wrong cases found: {len(found)}, others: {len(set(found) - set(wrong))}")
        print(f"printed: {len(session.out.encode()) // 1024} KiB, in {seconds:.0f} s")
        print(session.last_line)
        return 0 if is_good else 1


if __name__ == "__main__":
    raise SystemExit(main())
