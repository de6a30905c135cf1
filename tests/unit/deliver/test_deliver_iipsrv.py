"""What is asked of iipsrv. That it survives is tested on the real one."""

from deliver_records import live
from hypothesis import given
from hypothesis import strategies as st

from vitrine.deliver.iipsrv import iipsrv_query, safe_region
from vitrine.iiif.region import Box
from vitrine.iiif.request import ResolvedRequest, parse_image_request, resolve
from vitrine.iiif.size import Limits
from vitrine.iiif.version import V3


def resolved(path: str, width: int = 7300, height: int = 4100) -> ResolvedRequest:
    parsed = parse_image_request(tuple(path.split("/")), V3)
    return resolve(parsed, width, height, Limits(area=10**9))


def test_a_request_becomes_numbers_only() -> None:
    request = resolved("square/!500,500/!90/gray.jpg")
    query = iipsrv_query("00ff.tif", request, live(width=7300, height=4100).levels)
    assert query == "00ff.tif/1600,0,4100,4100/500,500/!90/gray.jpg"


def test_a_strip_beyond_a_smaller_level_starts_at_that_levels_last_pixel() -> None:
    request = resolved("0,4096,4096,4/256,1/0/default.jpg")
    levels = live(width=7300, height=4100).levels
    assert safe_region(request, levels) == Box(0, 4080, 4096, 20)


def test_an_unscaled_region_is_asked_as_it_is() -> None:
    request = resolved("7299,4099,1,1/max/0/default.jpg")
    assert safe_region(request, live(width=7300, height=4100).levels) == request.region


@given(data=st.data(), width=st.integers(1, 9_000), height=st.integers(1, 9_000))
def test_a_safe_region_starts_inside_every_level_that_may_be_read(
    data: st.DataObject, width: int, height: int
) -> None:
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    w, h = data.draw(st.integers(1, width - x)), data.draw(st.integers(1, height - y))
    size = data.draw(st.integers(1, w)), data.draw(st.integers(1, h))
    request = resolved(f"{x},{y},{w},{h}/{size[0]},{size[1]}/0/default.jpg", width, height)
    levels = live(width=width, height=height).levels
    box = safe_region(request, levels)
    assert (box.x + box.width, box.y + box.height) == (x + w, y + h)
    for number, (level_width, level_height) in enumerate(levels):
        if 2**number <= max(box.width / size[0], box.height / size[1]):
            assert box.x / 2**number <= level_width - 1
            assert box.y / 2**number <= level_height - 1
