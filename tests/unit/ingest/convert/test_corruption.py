"""Damaged masters are refused or converted right."""

import pytest

from tests.rigs.corpora.format_masters import KINDS
from tests.rigs.corruption.damaged_variants import OPERATIONS, damaged, variant
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


def test_variants_are_the_same_for_the_same_number() -> None:
    body = bytes(range(256)) * 40
    for number in range(50):
        item = variant(number)
        assert item == variant(number)
        assert damaged(body, item.operation, item.seed) == damaged(body, item.operation, item.seed)


def test_every_operation_meets_every_kind() -> None:
    met = {(v.kind.name, v.operation) for v in map(variant, range(len(KINDS) * len(OPERATIONS)))}
    assert len(met) == len(KINDS) * len(OPERATIONS)


@pytest.mark.parametrize("kind", TRUNCATED, ids=lambda kind: kind.name)
@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
def test_a_master_cut_off_is_refused(kind, share, tmp_path) -> None:  # type: ignore[no-untyped-def]
    master = tmp_path / f"master{kind.suffix}"
    kind.make(master)
    body = master.read_bytes()
    master.write_bytes(body[: int(len(body) * share)])
    with pytest.raises(MasterRejected):
        convert_pixels(master)
