"""ALTO: words with boxes, in whatever unit the file measures."""

import pytest

from tests.unit.text.transcription.text_bench import alto, corners, read, refusal, words

STRING = '<String CONTENT="{}" HPOS="{}" VPOS="{}" WIDTH="{}" HEIGHT="{}"/>'
ONE = f"<TextLine>{STRING.format('Ninive', 100, 200, 50, 20)}</TextLine>"


@pytest.mark.parametrize("version", ["ns-v2", "ns-v3", "ns-v4"])
def test_words_and_boxes_are_read_of_each_version(version: str) -> None:
    page = read("1.xml", alto(ONE).replace("ns-v4", version))
    assert words(page) == [["Ninive"]]
    assert corners(page) == [[(100, 200, 50, 20)]]


@pytest.mark.parametrize(
    ("unit", "page"),
    [("mm10", 'WIDTH="2000" HEIGHT="4000"'), ("inch1200", 'WIDTH="2000" HEIGHT="4000"')],
)
def test_boxes_in_tenths_of_millimetres_and_1200ths_of_inches_become_pixels_of_the_canvas(
    unit: str, page: str
) -> None:
    assert corners(read("1.xml", alto(ONE, unit, page))) == [[(50, 100, 25, 10)]]


def test_a_page_without_a_size_has_the_pixels_of_the_canvas() -> None:
    assert corners(read("1.xml", alto(ONE, page=""))) == [[(100, 200, 50, 20)]]


@pytest.mark.parametrize(
    ("unit", "page", "code"),
    [
        ("furlong", 'WIDTH="1000" HEIGHT="2000"', "unit"),
        ("pixel", 'WIDTH="wide" HEIGHT="2000"', "page-size"),
        ("pixel", 'WIDTH="0" HEIGHT="2000"', "page-size"),
        ("pixel", 'WIDTH="-5" HEIGHT="2000"', "page-size"),
        ("pixel", 'WIDTH="nan" HEIGHT="1e999"', "page-size"),
    ],
)
def test_a_page_that_cannot_be_scaled_is_refused(unit: str, page: str, code: str) -> None:
    assert refusal("1.xml", alto(ONE, unit, page))[0] == code


def test_a_word_on_two_lines_is_the_whole_word_with_two_boxes() -> None:
    part = (
        '<TextLine><String CONTENT="{0}" SUBS_TYPE="{1}" SUBS_CONTENT="Reisebericht" HPOS="{2}" '
        'VPOS="10" WIDTH="30" HEIGHT="10"/>{3}</TextLine>'
    )
    page = read(
        "1.xml",
        alto(
            part.format("Reise", "HypPart1", 900, '<HYP CONTENT="-"/>')
            + part.format("bericht", "HypPart2", 0, '<String CONTENT="aus"/>')
        ),
    )
    assert words(page) == [["Reisebericht"], ["aus"]]
    assert corners(page)[0] == [(900, 10, 30, 10), (0, 10, 30, 10)]


@pytest.mark.parametrize("part", ["HypPart1", "HypPart2"])
def test_a_word_whose_other_part_is_on_another_page_is_the_whole_word(part: str) -> None:
    string = f'<String CONTENT="bericht" SUBS_TYPE="{part}" SUBS_CONTENT="Reisebericht"/>'
    assert words(read("1.xml", alto(f"<TextLine>{string}</TextLine>"))) == [["Reisebericht"]]


FIRST = (
    '<TextLine><String CONTENT="quin-" SUBS_TYPE="HypPart1"{} HPOS="9" VPOS="9"{}/>{}</TextLine>'
)
SECOND = '<TextLine><String CONTENT="tal"{} HPOS="1" VPOS="30"{}/></TextLine>'
SIDES = ' WIDTH="8" HEIGHT="8"'
WHOLE, EMPTY = ' SUBS_CONTENT="quintal"', ' SUBS_CONTENT=""'
PART2 = ' SUBS_TYPE="HypPart2"'


@pytest.mark.parametrize("hyphen", ["", '<HYP CONTENT="-"/>'])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (WHOLE, PART2 + EMPTY),
        (WHOLE, PART2),
        (WHOLE, PART2 + WHOLE),
        (WHOLE, ""),
        (EMPTY, PART2 + WHOLE),
        (EMPTY, PART2 + EMPTY),
        ("", PART2),
        ("", ""),
    ],
)
def test_a_divided_word_is_joined_once_whichever_part_says_the_whole(
    first: str, second: str, hyphen: str
) -> None:
    page = read("1.xml", alto(FIRST.format(first, SIDES, hyphen) + SECOND.format(second, SIDES)))
    assert words(page) == [["quintal"]]
    assert corners(page) == [[(9, 9, 8, 8), (1, 30, 8, 8)]]


def test_another_word_after_the_first_part_of_a_whole_word_is_a_word_of_its_own() -> None:
    other = '<TextLine><String CONTENT="aus"/></TextLine>'
    assert words(read("1.xml", alto(FIRST.format(WHOLE, "", "") + other))) == [["quintal"], ["aus"]]
    other = other.replace("/>", ' SUBS_TYPE="HypPart2" SUBS_CONTENT="heraus"/>')
    assert words(read("1.xml", alto(FIRST.format(WHOLE, "", "") + other))) == [
        ["quintal"],
        ["heraus"],
    ]


@pytest.mark.parametrize(
    ("unit", "area", "boxes"),
    [
        # Half as large as the canvas, and tenths of a millimetre that cover it.
        ("pixel", (0, 0, 500, 1000), [(200, 400, 100, 40)]),
        ("mm10", (0, 0, 2000, 4000), [(50, 100, 25, 10)]),
        # A part of the canvas.
        ("pixel", (0, 0, 900, 900), [(100, 200, 50, 20)]),
        ("pixel", (90, 90, 500, 1000), [(100, 200, 50, 20)]),
        # Turned, or of a size that nobody knows.
        ("pixel", (0, 0, 2000, 1000), []),
        ("mm10", (90, 90, 500, 1000), []),
    ],
)
def test_a_page_without_a_size_has_that_of_its_print_space_if_this_can_be_all_of_it(
    unit: str, area: tuple[int, ...], boxes: list[tuple[int, ...]]
) -> None:
    sides = 'HPOS="{}" VPOS="{}" WIDTH="{}" HEIGHT="{}"'.format(*area)
    page = read("1.xml", alto(ONE, unit, "").replace("<PrintSpace>", f"<PrintSpace {sides}>"))
    assert (words(page), corners(page)) == ([["Ninive"]], [boxes])
    assert bool(page.unplaced) == (not boxes)


def test_a_hyphen_without_the_whole_word_joins() -> None:
    lines = '<TextLine><String CONTENT="Reise"/><HYP CONTENT="-"/></TextLine>'
    lines += '<TextLine><String CONTENT="bericht"/></TextLine>'
    assert words(read("1.xml", alto(lines))) == [["Reisebericht"]]


def test_language_and_direction_hold_until_something_inside_says_another() -> None:
    lines = '<TextLine LANG="heb" BASEDIRECTION="rtl"><String CONTENT="שלום"/></TextLine>' + ONE
    page = read("1.xml", alto(lines).replace("<TextBlock>", '<TextBlock LANG="deu">'))
    assert [(line.language, line.direction) for line in page.lines] == [("he", "rtl"), ("de", "")]


def test_a_string_that_is_a_whole_line_is_its_words_with_its_box() -> None:
    page = read("1.xml", alto(f"<TextLine>{STRING.format('two words', 1, 2, 3, 4)}</TextLine>"))
    assert words(page) == [["two", "words"]]
    assert corners(page) == [[(1, 2, 3, 4)], [(1, 2, 3, 4)]]


def test_a_file_of_two_pages_is_refused_for_one_image() -> None:
    code, sentence = refusal("1.xml", alto(ONE).replace("</Layout>", "<Page/></Layout>"))
    assert (code, sentence) == ("pages", "it has more than one page, and is for one image")
