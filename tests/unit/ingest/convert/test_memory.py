"""Memory of a process that converts often; `vitrine-loadtest drill conversions` runs it longer."""

import pytest

from loadtest.drills.conversions import measure_conversions

pytestmark = pytest.mark.slow


def test_a_process_does_not_grow_with_every_conversion() -> None:
    figures = measure_conversions(100, 8, lambda line: None)
    assert figures["conversions"] == 100
    assert figures["mebibytes_after_last"] <= 150
    assert figures["growth"] <= 1.2
