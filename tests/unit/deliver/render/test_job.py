"""A render that nobody waits for ends."""

import threading

import pytest

from tests.unit.ingest.made_pyramids import image_of, picture
from vitrine.deliver.render.encode import compute_image, encode_image, encode_jpeg
from vitrine.deliver.render.job import Abandoned, RenderJob

SHOWN = picture(300, 200)


def test_nothing_begins_for_a_cancelled_job() -> None:
    job = RenderJob()
    job.cancel()
    image = image_of(SHOWN)
    with pytest.raises(Abandoned):
        encode_image(image, "png", job)
    with pytest.raises(Abandoned):
        compute_image(image, job)
    with pytest.raises(Abandoned):
        encode_jpeg(SHOWN, job)


def test_libvips_is_stopped_in_the_middle_of_an_image() -> None:
    # Days of work.
    image = image_of(SHOWN).resize(300).gaussblur(30)
    job, begun, ends = RenderJob(), threading.Event(), list[str]()

    def work() -> None:
        begun.set()
        try:
            encode_image(image, "png", job)
        except Abandoned:
            ends.append("abandoned")

    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    job.cancel()
    thread.join(60)
    assert ends == ["abandoned"]
