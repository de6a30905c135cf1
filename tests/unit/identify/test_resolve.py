"""What an identifier answers."""

import pytest

from vitrine.identify.resolve import (
    MovedTo,
    Resolution,
    Serve,
    Unknown,
    WithdrawnIdentifier,
    resolve,
)
from vitrine.records import Gone, Live, Record, Redirect

LIVE = Live(
    identifier="new",
    version="0" * 16,
    access_master_key="k",
    access_master_bytes=1,
    width=1,
    height=1,
    tile_width=256,
    tile_height=256,
    levels=((1, 1),),
    master_key="new.tif",
    master_version="v1",
    master_modified="2026-11-21T07:00:00.000Z",
    published_at="2026-11-21T07:00:00.000Z",
)
GONE = Gone(identifier="new", reason="rights", changed_at="2026-11-21T07:00:00.000Z")
OLD = Redirect(identifier="old", target="new", changed_at="2026-11-21T07:00:00.000Z")


@pytest.mark.parametrize(
    ("record", "target", "resolution"),
    [
        (None, None, Unknown()),
        (LIVE, None, Serve(LIVE)),
        (GONE, None, WithdrawnIdentifier("rights", GONE.changed_at)),
        (OLD, LIVE, MovedTo("new")),
        (OLD, GONE, WithdrawnIdentifier("rights", GONE.changed_at)),
        (OLD, None, Unknown()),
    ],
)
def test_every_state_has_one_answer(
    record: Record | None, target: Record | None, resolution: Resolution
) -> None:
    assert resolve(record, target) == resolution
