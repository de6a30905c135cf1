"""Runs a command from a small process and prints what it took, as JSON: `timed.py COMMAND …`.

The peak of resident memory that Linux reports for a child never falls below what its parent
held when it forked, so a parent full of pixels would measure itself. Standard library only.
"""

import json
import os
import sys
import time


def main() -> int:
    """Run, print, and end as the command did."""
    start = time.monotonic()
    child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
    _, status, usage = os.wait4(child, 0)
    figures = {
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "wall_seconds": time.monotonic() - start,
        "peak_bytes": usage.ru_maxrss * 1024,
    }
    print(json.dumps(figures), flush=True)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
