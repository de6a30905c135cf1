"""Memory of a process that converts often."""

import pytest

from tests.rigs.conversions import measure_conversions

pytestmark = pytest.mark.slow


def test_a_process_does_not_grow_with_every_conversion() -> None:
    figures = measure_conversions(100, 8)
    assert figures["conversions"] == 100
    assert figures["mebibytes_after_last"] <= 150
    assert figures["growth"] <= 1.2
