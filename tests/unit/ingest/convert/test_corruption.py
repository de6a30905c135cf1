"""Damaged masters are refused or converted right."""

import pytest

from tests.rigs.corpora.format_masters import KINDS
from tests.rigs.corruption.judged_variants import BAD, measure_corruption
from tests.rigs.corruption.variant_judge import convert_pixels
from vitrine.errors import MasterRejected

pytestmark = pytest.mark.slow

VARIANTS = 210
TRUNCATED = [kind for kind in KINDS if not kind.name.startswith("orientation")]


def test_no_damaged_master_becomes_a_wrong_picture() -> None:
    figures = measure_corruption(VARIANTS, 2, first=3 * VARIANTS)
    assert figures["variants"] == VARIANTS
    assert figures["bad"] == []
    assert figures["verdicts"]["rejected"] > VARIANTS / 3
    assert set(BAD).isdisjoint(figures["verdicts"])


@pytest.mark.parametrize("kind", TRUNCATED, ids=lambda kind: kind.name)
@pytest.mark.parametrize("share", [0.5, 0.99])
def test_a_master_cut_off_is_refused(kind, share, tmp_path) -> None:  # type: ignore[no-untyped-def]
    master = tmp_path / f"master{kind.suffix}"
    kind.make(master)
    body = master.read_bytes()
    master.write_bytes(body[: int(len(body) * share)])
    with pytest.raises(MasterRejected):
        convert_pixels(master)
