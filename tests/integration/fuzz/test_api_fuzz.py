"""The API against everything that its own document allows, and what it does not."""

import re

from tests.fuzz.api_fuzz import fuzz

EXAMPLES = 6
"""Examples of each operation: `make fuzz` has many more."""
MIN_CASES = 100


def test_no_request_is_answered_by_a_fault_of_ours() -> None:
    done = fuzz(EXAMPLES, phases="examples,fuzzing,stateful", seed="1")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    cases = re.search(r"([\d,]+) generated", done.stdout)
    assert cases
    assert int(cases[1].replace(",", "")) >= MIN_CASES, done.stdout
