"""Annotations come back as they were stored, with their places on a canvas of another size."""

import subprocess
import sys

from vitrine.iiif.presentation.remarks import Body, Place, Remark
from vitrine.present.remarks.stored_remarks import decode_remarks, encode_remarks
from vitrine.present.text.page_text import CanvasSize

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M1,2 L3,4Z"/></svg>'
SIZE = CanvasSize(100, 200)
REMARK = Remark(
    motivations=("commenting",),
    bodies=(Body(value="a", format="text/plain"),),
    places=(
        Place(box=(10, 20, 30, 40)),
        Place(box=(5, 6, 1, 1), is_point=True),
        Place(shape=SVG),
        Place(),
    ),
)


def test_the_same_annotations_have_the_same_name_and_come_back() -> None:
    name, body = encode_remarks([REMARK], SIZE)
    assert encode_remarks([REMARK], SIZE) == (name, body)
    assert decode_remarks(body, SIZE) == (REMARK,)
    assert encode_remarks([REMARK], CanvasSize(100, 201))[0] != name


def test_places_are_scaled_to_another_canvas() -> None:
    (remark,) = decode_remarks(encode_remarks([REMARK], SIZE)[1], CanvasSize(200, 300))
    box, point, outline, whole = remark.places
    assert box.box == (20, 30, 60, 60)
    assert (point.box, point.is_point) == ((10, 9, 1, 1), True)
    assert outline.shape == (
        '<svg xmlns="http://www.w3.org/2000/svg"><g transform="scale(2 1.5)">'
        '<path d="M1,2 L3,4Z"/></g></svg>'
    )
    assert whole == Place()


def test_what_publishes_annotations_reads_no_xml() -> None:
    code = "import sys, vitrine.present.objects.object_texts; print('lxml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
