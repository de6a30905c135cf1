"""Annotations come back as they were stored, with their places on a canvas of another size."""

import subprocess
import sys

from msgspec.structs import replace

from vitrine.iiif.presentation.remarks import AnnotationBody, CanvasPlace, Remark
from vitrine.text.annotations.stored_annotations import decode_remarks, encode_remarks
from vitrine.text.transcription.page_text import CanvasSize

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M1,2 L3,4Z"/></svg>'
SIZE = CanvasSize(100, 200)
REMARK = Remark(
    motivations=("commenting",),
    bodies=(AnnotationBody(value="a", format="text/plain"),),
    places=(
        CanvasPlace(box=(10, 20, 30, 40)),
        CanvasPlace(box=(5, 6, 1, 1), is_point=True),
        CanvasPlace(shape=SVG),
        CanvasPlace(),
    ),
)


def test_the_same_annotations_have_the_same_name_and_come_back() -> None:
    name, body = encode_remarks([REMARK], SIZE)
    assert encode_remarks([REMARK], SIZE) == (name, body)
    assert list(decode_remarks(body, SIZE).values()) == [REMARK]
    assert encode_remarks([REMARK], CanvasSize(100, 201))[0] != name


def test_places_are_scaled_to_another_canvas() -> None:
    (remark,) = decode_remarks(encode_remarks([REMARK], SIZE)[1], CanvasSize(198, 400)).values()
    box, point, outline, whole = remark.places
    assert box.box == (19, 40, 61, 80)
    assert (point.box, point.is_point) == ((9, 12, 1, 1), True)
    assert outline.shape == (
        '<svg xmlns="http://www.w3.org/2000/svg"><g transform="scale(1.98 2)">'
        '<path d="M1,2 L3,4Z"/></g></svg>'
    )
    assert whole == CanvasPlace()


def test_on_an_image_of_other_proportions_they_are_of_all_of_it() -> None:
    (remark,) = decode_remarks(encode_remarks([REMARK], SIZE)[1], CanvasSize(200, 100)).values()
    assert remark == replace(REMARK, places=(CanvasPlace(),))


def names(*remarks: Remark, canvas: CanvasSize = SIZE) -> list[str]:
    """The names of annotations, in their order."""
    return list(decode_remarks(encode_remarks(list(remarks), SIZE)[1], canvas))


def test_a_name_stays_when_others_come_before_it() -> None:
    first, last = (replace(REMARK, creator=creator) for creator in ("Ada", "Bo"))
    owned = replace(first, own_name="0a1b2c3d")
    ada, bo, own = names(first, last, owned)
    assert names(replace(REMARK, creator="Cy"), owned, last, first)[1:] == [own, bo, ada]
    assert len({ada, bo, own}) == 3
    assert names(replace(owned, bodies=()))[0] == own == "0a1b2c3d"


def test_equal_ones_are_counted() -> None:
    one, two, three = names(REMARK, REMARK, REMARK)
    assert (two, three) == (f"{one}-2", f"{one}-3")


def test_a_name_stays_when_the_image_is_replaced_or_html_is_read_in_another_way() -> None:
    html = replace(
        REMARK, bodies=(AnnotationBody(value="<p>a</p>", format="text/html", plain="a"),)
    )
    other = replace(html, bodies=(replace(html.bodies[0], plain="b"),))
    assert names(html, canvas=CanvasSize(200, 300)) == names(other)


def test_annotations_without_an_identifier_are_stored_as_before() -> None:
    assert encode_remarks([Remark(motivations=("commenting",))], SIZE)[0] == (
        "a124edcb0fff098f602bc1ed638f4944"
    )


def test_what_publishes_annotations_reads_no_xml() -> None:
    code = "import sys, vitrine.catalogue.object_texts; print('lxml' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
