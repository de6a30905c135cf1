"""Each patch of the emulator can be reported upstream, and a test says when it can go."""

from collections.abc import Callable
from functools import partial
from inspect import getdoc
from pathlib import Path
from typing import Any

import pytest

from vitrine.local import emulator_patches

INTEGRATION = Path(__file__).parents[2] / "integration/local"
PATCHES = emulator_patches.patches(parallel_tasks=2)


@pytest.mark.parametrize("name", PATCHES)
def test_a_patch_says_what_ministack_does_what_aws_does_and_how_it_shows(name: str) -> None:
    patch: Callable[..., Any] = PATCHES[name]
    text = getdoc(patch.func if isinstance(patch, partial) else patch) or ""
    for part in ("\nministack: ", "\nAWS: ", "\nSymptom: "):
        assert part in text, f"the docstring of {name} lacks “{part.strip()}”"


@pytest.mark.parametrize("name", PATCHES)
def test_a_patch_has_a_test_that_says_when_it_is_no_longer_needed(name: str) -> None:
    tests = "".join(path.read_text() for path in sorted(INTEGRATION.glob("test_emulator_*.py")))
    assert f"def test_still_needed_{name}(" in tests
