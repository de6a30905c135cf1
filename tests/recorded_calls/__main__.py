"""Judge the calls that the tests recorded: `python -m tests.recorded_calls [--unused] FOLDER`.

Ends with 1 if a role was refused something, or, with `--unused`, may do something that no test did
and no reason explains: only all tests together, those of the night included, use all rights.
"""

import argparse
import sys
from pathlib import Path

from tests.recorded_calls.judge import lines_of, read_calls


def main(folder: Path, unused: bool) -> int:
    """The program."""
    recorded = read_calls(lines_of(folder))
    if not recorded.used:
        print(f"no call of a role was recorded in {folder}", file=sys.stderr)
        return 1
    idle = recorded.unused() if unused else []
    for role, action, resource in sorted(recorded.refused):
        print(f"refused: {role} {action} {resource}")
    for role, action, resource in idle:
        print(f"never used: {role} {action} {resource}")
    print(
        f"{len({role for role, _, _ in recorded.grants})} roles, {len(recorded.grants)} rights, "
        f"{len(recorded.used & recorded.grants)} used, {len(recorded.refused)} calls refused"
        + (f", {len(idle)} rights without a reason" if unused else "")
    )
    return int(bool(recorded.refused or idle))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Judge the calls that the tests recorded.")
    parser.add_argument("--unused", action="store_true", help="Report rights that nothing used.")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    sys.exit(main(given.folder, given.unused))
