"""What is published is in the index, what is not is gone, and only what differs is written."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.unit.catalogue.object_bench import BASE
from tests.unit.search.titles.search_bench import SearchBench, print_
from vitrine.adapters.memory.faults import Breaking
from vitrine.errors import TransientError
from vitrine.iiif.presentation.model import Member, ObjectCollection, Place, Statement
from vitrine.search.claim import LASTS, Claim
from vitrine.search.titles.update import CLAIM, update_search
from vitrine.site.pages import browse_page
from vitrine.site.pages.facet_values import PLACE
from vitrine.site.pages.stored_facets import read_facets
from vitrine.site.pages.stored_theme import store_theme
from vitrine.site.pages.theme import DEFAULT

SPANS = (
    "0°\u20130°30\u2032 S, 9°30\u2032\u201310° W",
    "52°\u201352°30\u2032 N, 4°\u20134°30\u2032 E",
)


@pytest.fixture
def bench() -> SearchBench:
    bench = SearchBench()
    bench.objects.put(print_("11", "Night watch", maker="Rembrandt", year="1642"))
    bench.objects.put(print_("12", "Watches of the night", maker="Rembrandt;Anna Dürer"))
    return bench


def words(bench: SearchBench) -> dict[str, str | list[str]]:
    return {
        word: stem
        for place in bench.json("directory")["chunks"]
        for word, stem in bench.json(f"words/{place.encode().hex() or '0'}")["words"].items()
    }


def stems(bench: SearchBench) -> dict[str, list[list[int]]]:
    return {
        stem: levels
        for place in bench.json("directory")["chunks"]
        for stem, levels in bench.json(f"words/{place.encode().hex() or '0'}")["stems"].items()
    }


def labels(bench: SearchBench) -> list[str | None]:
    return [card and card[2]["en"] for card in bench.json("cards/0")]


def test_a_collection_is_shown_by_the_picture_of_its_first_member(bench: SearchBench) -> None:
    members = (Member(identifier="11", label={"en": ("Night watch",)}, image="one"),)
    shelf = ObjectCollection(identifier="shelf", label={"en": ("A shelf",)}, members=members)
    bench.objects.put(shelf)
    bench.update()
    (shown,) = [card for card in bench.json("cards/0") if card and card[1] == "shelf"]
    assert "/one/full/" in shown[4]


def test_what_is_published_is_found_by_the_stems_of_its_words(bench: SearchBench) -> None:
    result = bench.update()
    assert (result.objects, result.read) == (2, 2)
    assert words(bench)["watches"] == "watch"
    numbers = sorted(number for gaps in stems(bench)["watch"] for number in gaps)
    assert (numbers, bench.json("directory")["objects"]) == ([0, 1], 2)
    assert sorted(filter(None, labels(bench))) == ["Night watch", "Watches of the night"]


def test_nothing_is_written_and_no_object_read_if_nothing_changed(bench: SearchBench) -> None:
    bench.update()
    assert (bench.update().written, bench.written()) == (0, [])
    assert not [key for key in bench.site.reads if key.startswith("presentation/")]


@pytest.mark.slow
def test_a_changed_title_changes_the_files_that_show_it_and_no_others(bench: SearchBench) -> None:
    for number in range(40):
        bench.objects.put(print_(f"p{number}", f"Print {number}", maker=f"Maker {number}"))
    bench.update()
    bench.objects.put(print_("p7", "Print 7, coloured", maker="Maker 7"))
    assert bench.update().read == 1
    written = bench.written()
    assert "browse/maker/maker-7" in written
    assert "browse/maker/maker-8" not in written
    assert len([key for key in written if "/cards/" in key]) == 1
    assert len(written) <= 6


@pytest.mark.parametrize(
    ("changed", "own", "found"),
    [
        ({"label": {"en": ("Print 7, coloured",)}}, 4, 3),
        ({"summary": {"en": ("A coloured print.",)}}, 2, 1),
        ({"rights": "http://creativecommons.org/licenses/by/4.0/"}, 3, 0),
    ],
)
def test_a_change_rewrites_what_says_it_and_nothing_else(
    bench: SearchBench, changed: dict[str, Any], own: int, found: int
) -> None:
    before = print_("p7", "Print 7", maker="Maker 7")
    bench.objects.put(before)
    bench.update()
    bench.site.puts.clear()
    bench.objects.put(msgspec.structs.replace(before, **changed))
    assert len(bench.site.puts) == own
    bench.update()
    assert len(bench.written()) == found


def test_what_is_withdrawn_vanishes_and_the_others_keep_their_numbers(bench: SearchBench) -> None:
    bench.update()
    kept = next(place for place, label in enumerate(labels(bench)) if label == "Night watch")
    bench.objects.withdraw("12", "A claim.")
    bench.update()
    assert [card and card[1] for card in bench.json("cards/0")] == [
        "11" if place == kept else 0 for place in range(32)
    ]
    assert "watches" not in words(bench)
    assert "anna" not in stems(bench)
    gone = bench.page("browse/maker/anna-durer")
    assert ("Nothing is listed here any more" in gone, "Watches" in gone) == (True, False)
    assert "Anna" not in bench.page("browse/maker")
    bench.objects.put(print_("12", "Watches again", maker="Anna Dürer"), replace_withdrawn=True)
    bench.update()
    assert "Watches again" in bench.page("browse/maker/anna-durer")


def test_lists_of_a_facet_are_pages_with_counts(bench: SearchBench) -> None:
    bench.update()
    facet = bench.page("browse/maker")
    assert facet.index("Anna Dürer") < facet.index("Rembrandt")
    assert '<a href="/browse/maker/rembrandt">Rembrandt</a> <span class="note">2</span>' in facet
    value = bench.page("browse/maker/rembrandt")
    assert ("2 entries" in value, value.count('class="card"')) == (True, 2)
    assert 'href="/search?in=maker:rembrandt"' in value
    assert 'href="/browse/maker"' in bench.page("browse")


def test_an_update_that_was_interrupted_is_made_good_by_the_next_one(bench: SearchBench) -> None:
    bench.update()
    bench.objects.put(print_("13", "The milkmaid", maker="Vermeer"))
    broken = Breaking(bench.site, every=1, methods=frozenset({"upload"}))
    with pytest.raises(TransientError):
        update_search(broken, BASE)
    assert "milkmaid" in stems(bench)
    assert "milkmaid" in bench.page("browse/maker/vermeer")
    bench.objects.withdraw("13", "A claim.")
    bench.update()
    assert "milkmaid" not in bench.page("browse/maker/vermeer")
    repaired = bench.files()
    bench.update(everything=True)
    assert bench.files() == repaired
    assert "milkmaid" not in stems(bench)


def test_two_never_write_at_the_same_time(bench: SearchBench) -> None:
    first = Claim(bench.site, CLAIM)
    first.take(timedelta(0))
    with pytest.raises(TransientError, match="being written by others"):
        Claim(bench.site, CLAIM).take(timedelta(0))
    first.release(finished=True)
    second = Claim(bench.site, CLAIM)
    second.take(timedelta(0))
    assert not second.is_behind


def test_who_waits_gets_it_when_the_other_is_through(bench: SearchBench) -> None:
    first = Claim(bench.site, CLAIM)
    first.take(timedelta(0))
    second = Claim(bench.site, CLAIM, wait=lambda seconds: first.release(finished=True))
    second.take(timedelta(minutes=1))


def test_a_claim_of_what_died_ends_by_itself_and_its_files_are_written_again(
    bench: SearchBench,
) -> None:
    bench.update()
    everything = bench.written()
    began = datetime(2026, 11, 25, tzinfo=UTC)
    dead = Claim(bench.site, CLAIM, clock=lambda: began)
    dead.take(timedelta(0))
    dead.begin_writing()
    late = Claim(bench.site, CLAIM, clock=lambda: began + LASTS + timedelta(seconds=1))
    result = bench.update(claim=late)
    assert bench.written() == everything
    assert result.written == len(everything)
    with pytest.raises(TransientError, match="took over"):
        dead.begin_writing()


def test_a_new_theme_is_on_all_lists_and_changes_no_index(
    bench: SearchBench, tmp_path: Path
) -> None:
    bench.update()
    (tmp_path / "theme.toml").write_text(
        DEFAULT.read_text().replace('name = "Vitrine"', 'name = "House of prints"', 1)
    )
    store_theme(bench.site, tmp_path / "theme.toml")
    bench.update()
    assert "browse/maker/rembrandt" in bench.written()
    assert not [key for key in bench.written() if "/index/" in key]
    assert "House of prints" in bench.page("browse/maker/rembrandt")


def test_a_list_that_got_shorter_says_so_on_the_page_it_lost(
    bench: SearchBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse_page, "OBJECTS", 1)
    bench.update()
    assert 'href="/browse/maker/rembrandt/2"' in bench.page("browse/maker/rembrandt")
    assert 'class="card"' in bench.page("browse/maker/rembrandt/2")
    bench.objects.withdraw("12", "A claim.")
    bench.update()
    assert "Nothing is listed here any more" in bench.page("browse/maker/rembrandt/2")


def test_facets_that_the_mapping_names_no_more_are_nowhere(bench: SearchBench) -> None:
    bench.update()
    for name in ("11", "12"):
        bench.objects.put(print_(name, "A print"))
    bench.update()
    assert bench.json("directory")["facets"] == []
    assert "browse/maker" not in bench.page("search")
    assert "Nothing is listed here any more" in bench.page("browse/maker")


def test_a_collection_is_a_facet_whose_list_is_its_own_page(bench: SearchBench) -> None:
    members = (Member(identifier="12", label={"en": ("Watches of the night",)}),)
    prints = ObjectCollection(identifier="a/prints", label={"en": ("Prints",)}, members=members)
    bench.objects.put(prints)
    watches = print_("12", "Watches of the night", maker="Rembrandt")
    bench.objects.put(msgspec.structs.replace(watches, part_of=("a/prints",)))
    bench.update()
    facets = dict(bench.json("directory")["facets"])
    assert (next(iter(facets)), facets["part-of"]["de"]) == ("part-of", "Sammlung")
    slug, label, gaps = bench.json(f"facets/{b'part-of'.hex()}")["values"][0]
    assert (label, gaps) == ({"en": "Prints"}, [1])
    assert stems(bench)[f"part-of:{slug}"][0] == [1]
    assert f'href="/search?in=part-of:{slug}"' in bench.page("collections/a%2Fprints")
    assert not [key for key in bench.files() if key.startswith("browse/part-of")]


def test_one_page_lists_all_facets_with_their_most_frequent_values(bench: SearchBench) -> None:
    bench.update()
    page = bench.page("browse")
    assert page.index("Rembrandt</a>") < page.index("Anna Dürer</a>")
    facet, values = read_facets(bench.site)[0]
    assert (facet.slug, values[0].slug, values[0].count) == ("maker", "rembrandt", 2)


def test_dates_make_a_timeline_of_decades(bench: SearchBench) -> None:
    for number, year in enumerate((1642, 1648, 1669, 905)):
        dated = print_(f"d{number}", f"Print {number}")
        date = f"{year:04}-05-01T00:00:00Z"
        bench.objects.put(msgspec.structs.replace(dated, nav_date=date))
    bench.update()
    listed = bench.page("browse/decade")
    assert listed.index(">900s<") < listed.index(">1640s<") < listed.index(">1660s<")
    assert 'href="/browse/decade/1640s"' in listed
    timeline = bench.page("browse")
    heights = re.findall(r'height="(\d+)"/></svg><span>(\d+)s</span> <span class="note">', timeline)
    assert heights == [("50", "900"), ("100", "1640"), ("50", "1660")]
    assert timeline.count("<li></li>") == (1660 - 900) // 10 - 2


def test_places_are_counted_by_the_cells_of_a_map(bench: SearchBench) -> None:
    places = [(52.01, 4.36), (52.3, 4.1), (-89.99, -180.0), (90.0, 180.0)]
    for number, (latitude, longitude) in enumerate(places):
        place = Place(latitude=latitude, longitude=longitude)
        bench.objects.put(msgspec.structs.replace(print_(f"p{number}", "Print"), nav_place=place))
    bench.update()
    cells = bench.json("places")["cells"]
    assert cells == {"368-75": 2, "0-359": 1, "719-0": 1}
    assert sum(stems(bench)["cell:368-75"][0]) > 0
    assert 'href="/map"' in bench.page("browse")


def test_places_are_lists_by_name_and_else_by_the_cell_of_the_map(bench: SearchBench) -> None:
    bench.speak("en", "de")
    delft = {"en": ("Delft",), "de": ("Delft (Holland)",)}
    places = {
        "p1": Place(latitude=52.01, longitude=4.36, label=delft),
        "p2": Place(latitude=52.02, longitude=4.35, label=delft),
        "p3": Place(latitude=52.01, longitude=4.36),
        "p4": Place(latitude=-0.1, longitude=-10.0),
    }
    for name, place in places.items():
        bench.objects.put(msgspec.structs.replace(print_(name, f"Print {name}"), nav_place=place))
    bench.update()
    listed = re.findall(r'<li><a href="(.*?)">(.*?)</a> <', bench.page(f"browse/{PLACE}"))
    assert listed == [
        (f"/browse/{PLACE}/0-0-30-s-9-30-10-w", SPANS[0]),
        (f"/browse/{PLACE}/52-52-30-n-4-4-30-e", SPANS[1]),
        (f"/browse/{PLACE}/delft", "Delft"),
    ]
    found = {path: sorted(re.findall("Print p[0-9]", bench.page(path[1:]))) for path, _ in listed}
    assert found == {
        f"/browse/{PLACE}/0-0-30-s-9-30-10-w": ["Print p4"],
        f"/browse/{PLACE}/52-52-30-n-4-4-30-e": ["Print p3"],
        f"/browse/{PLACE}/delft": ["Print p1", "Print p2"],
    }
    german = bench.page(f"browse/{PLACE}/_/de")
    assert "Delft (Holland)" in german
    assert SPANS[1].replace("E", "O") in german


def test_the_map_leads_to_its_places_as_a_list_while_there_are_any(bench: SearchBench) -> None:
    link = f'href="/browse/{PLACE}"'
    bench.update()
    assert link not in bench.page("map")
    place = Place(latitude=52.01, longitude=4.36)
    bench.objects.put(msgspec.structs.replace(print_("p", "Print"), nav_place=place))
    bench.update()
    assert link in bench.page("map")
    assert link in bench.page("browse")
    bench.objects.withdraw("p", "lost")
    bench.update()
    assert link not in bench.page("map")
    assert "Nothing is listed here" in bench.page(f"browse/{PLACE}")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("<Nachlass Weber> ", "&lt;Nachlass Weber&gt;"),
        ("<p>&lt;img src=x onerror=y&gt;</p>", "&lt;img src=x onerror=y&gt;"),
    ],
)
def test_lists_show_as_text_what_only_looks_like_html(
    bench: SearchBench, value: str, text: str
) -> None:
    line = Statement(label={"en": ("Estate",)}, value={"en": (value,)}, facet=True)
    place = Place(latitude=1.0, longitude=2.0, label={"en": ("<Nachlass Weber>",)})
    item = print_("13", "A box")
    bench.objects.put(msgspec.structs.replace(item, metadata=(line,), nav_place=place))
    bench.update()
    for page in ("browse", "browse/estate"):
        assert f">{text}</a>" in bench.page(page)
    assert ">&lt;Nachlass Weber&gt;</a>" in bench.page(f"browse/{PLACE}")
    of_place = bench.page(f"browse/{PLACE}/nachlass-weber")
    assert "&lt;Nachlass Weber&gt;</h1>" in of_place
    assert "<img src=x" not in "".join(map(bench.page, ("browse", "browse/estate")))


def test_an_object_that_is_called_like_its_place_is_listed_by_that_name(
    bench: SearchBench,
) -> None:
    place = Place(latitude=52.01, longitude=4.36, label={"en": ("Delft",)})
    bench.objects.put(msgspec.structs.replace(print_("13", "Delft"), nav_place=place))
    bench.update()
    assert f'href="/browse/{PLACE}/delft"' in bench.page(f"browse/{PLACE}")
