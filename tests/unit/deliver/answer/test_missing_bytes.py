"""What a derivative lacks on disk is what its render then fetches."""

from pathlib import Path

from tests.unit.deliver.deliver_records import live
from tests.unit.deliver.pyramids.hollow_pyramids import HollowStore, our_head
from tests.unit.deliver.pyramids.open_rig import in_loop, open_rig
from tests.unit.deliver.render.render_rig import resolve_path
from vitrine.deliver.answer.cost import price_derivative
from vitrine.deliver.answer.embedding import Embedding
from vitrine.deliver.answer.images import Images
from vitrine.deliver.embed.tiles import tile_segments_reader
from vitrine.deliver.render.iipsrv import Iipsrv
from vitrine.deliver.render.rendering import Rendering, RenderingSize
from vitrine.deliver.tiles.pass_through import PassThrough
from vitrine.iiif.region import Box

SIDE = 20_000
SIZE = RenderingSize(
    cores=2, waiting=20, large_renders=1, large_waiting=1, large_memory_bytes=100 << 20
)


@in_loop
async def test_what_is_missing_is_what_is_fetched(tmp_path: Path) -> None:
    pieces, size = our_head(SIDE, SIDE, 17_000)
    store = HollowStore(pieces, size)
    sizes = [(SIDE, SIDE)]
    while max(sizes[-1]) > 256:
        sizes.append((-(-sizes[-1][0] // 2), -(-sizes[-1][1] // 2)))
    image = live(width=SIDE, height=SIDE, levels=tuple(sizes), access_master_bytes=size)
    rendering = Rendering(Iipsrv(tmp_path / "nobody.sock", tmp_path, 1), SIZE)
    async with open_rig(tmp_path, store=store) as rig:
        images = Images(
            pyramids=rig.pyramids,
            tiles=PassThrough(tile_segments_reader("none")),
            rendering=rendering,
            embedding=Embedding(),
        )
        pyramid = await rig.pyramids.open(image)
        unopened = live("another")
        thumbnail = resolve_path("full/!200,200/0/default.jpg", pyramid)
        large = resolve_path("full/!4000,4000/0/default.jpg", pyramid)
        assert images.missing_bytes(unopened, thumbnail) is None
        assert images.missing_bytes(image, thumbnail) == 0, "it comes with the head"
        missing = images.missing_bytes(image, large)
        assert missing
        tiles = pyramid.levels[2].tile_ranges(Box(0, 0, *sizes[2]))
        before = sum(length for _, length in store.reads)
        async with pyramid.file.pinned(list(tiles.values())):
            assert images.missing_bytes(image, large) == 0
        assert sum(length for _, length in store.reads) - before == missing
        # The estimate from the record alone is near it.
        estimated = price_derivative(image, large, None).fetched_bytes
        assert 0.7 * missing < estimated < 1.5 * missing
    await rendering.close()
