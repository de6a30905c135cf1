"""Judge the calls that the tests recorded: `python -m tests.recorded_calls FOLDER`.

Ends with 1 if a role was refused something, or may do something that no test did and no reason
explains.
"""

import sys
from pathlib import Path

from tests.recorded_calls.judge import lines_of, read_calls


def main(folder: Path) -> int:
    """The program."""
    recorded = read_calls(lines_of(folder))
    if not recorded.used:
        print(f"no call of a role was recorded in {folder}", file=sys.stderr)
        return 1
    for role, action, resource in sorted(recorded.refused):
        print(f"refused: {role} {action} {resource}")
    for role, action, resource in recorded.unused():
        print(f"never used: {role} {action} {resource}")
    print(
        f"{len({role for role, _, _ in recorded.grants})} roles, {len(recorded.grants)} rights, "
        f"{len(recorded.used & recorded.grants)} used, {len(recorded.unused())} without a reason, "
        f"{len(recorded.refused)} calls refused"
    )
    return int(bool(recorded.refused or recorded.unused()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
