"""An object's page is complete: without JavaScript nothing is missing but the zoom."""

import html
import json
import re
from dataclasses import replace

from tests.unit.catalogue.object_bench import BASE, ObjectBench, book
from tests.unit.deliver.deliver_records import live
from vitrine.iiif.presentation.model import (
    Canvas,
    ImageElsewhere,
    Range,
    Statement,
)
from vitrine.store.site_layout import object_page_key

LICENCE = "http://creativecommons.org/licenses/by-sa/4.0/"


def page(bench: ObjectBench, key: str = "objects/book") -> str:
    return str(bench.site.get(key)[0].decode())


def test_a_page_says_what_the_record_says(bench: ObjectBench) -> None:
    bench.objects.put(
        book(
            summary={"en": ("About <it> & more",)},
            metadata=(Statement(label={"en": ("Date",)}, value={"en": ("1642",)}),),
            required_statement=Statement(
                label={"en": ("Attribution",)}, value={"en": ("A museum",)}
            ),
            rights=LICENCE,
            ranges=(
                Range(
                    label={"en": ("Front",)},
                    ranges=(Range(label={"en": ("Title",)}, canvases=(1,)),),
                ),
            ),
        )
    )
    shown = page(bench)
    for text in (
        "<h1>A book</h1>",
        "About &lt;it&gt; &amp; more",
        "<dt>Date</dt><dd><span>1642</span></dd>",
        "<strong>Attribution:</strong> <span>A museum</span>",
        'rel="license" href="https://creativecommons.org/licenses/by-sa/4.0/"',
        "CC BY-SA 4.0",
        '<a href="#view-2">Title</a>',
        f'<link rel="canonical" href="{BASE}/objects/book">',
        f'data-manifest="{BASE}/presentation/3/book/manifest.json"',
    ):
        assert text in shown


def test_a_page_offers_images_in_the_sizes_that_are_held() -> None:
    bench = ObjectBench()
    bench.write(live("one", 4000, 3000))
    bench.objects.put(book(canvases=(Canvas(image="one", alt_text={"en": ("A hall",)}),)))
    shown = page(bench)
    levels = [(4000, 3000), (2000, 1500), (1000, 750), (500, 375)]
    lists = re.findall(r'<(source|img)[^>]* srcset="([^"]+)"', shown)
    widths = {
        name: [int(one.split()[1][:-1]) for one in listed.split(", ")] for name, listed in lists
    }
    assert widths["img"] == sorted(width for width, _ in levels)
    # What the gateway encodes is of a size that it keeps.
    assert widths["source"] == [500, 1000]
    assert 'alt="A hall"' in shown
    assert 'width="4000" height="3000"' in shown
    assert '/iiif/3/one/full/1000,750/0/default.jpg" download="book-1-small.jpg"' in shown
    assert '/iiif/3/one/full/max/0/default.jpg" download="book-1-full.jpg"' in shown


def test_a_page_of_a_book_offers_all_pages_as_one_file_and_says_how_large(
    bench: ObjectBench,
) -> None:
    bench.objects.put(book())
    shown = page(bench)
    assert '<a href="/presentation/3/book/object.pdf">All pages as PDF</a>' in shown
    assert '<span class="note">about 1 MB</span>' in shown
    assert "text.txt" not in shown


def test_the_viewer_finds_all_that_it_needs(bench: ObjectBench) -> None:
    bench.objects.put(book())
    shown = page(bench)
    assert shown.count('<li class="canvas"') == 3
    for attribute in ('data-image="/iiif/3/two"', 'data-width="800"', 'data-tile="256"'):
        assert attribute in shown
    sizes = re.search(r'data-sizes="([^"]+)"', shown)
    assert sizes
    assert json.loads(html.unescape(sizes[1])) == [
        {"width": 200, "height": 150},
        {"width": 400, "height": 300},
        {"width": 800, "height": 600},
    ]


def test_an_image_that_needs_a_right_is_no_broken_picture_and_the_viewer_knows_the_right(
    bench: ObjectBench,
) -> None:
    bench.write(replace(live("two", 800, 600), access="staff", revision=2))
    bench.objects.put(book())
    shown = page(bench)
    (item,) = re.findall(r'<li class="canvas" id="view-2".*?</li>', shown, re.DOTALL)
    assert 'data-right="staff" data-hidden' in item
    assert 'src="/viewer/restricted.svg"' in item
    assert "srcset" not in item
    assert "/iiif/3/two/full/" not in shown
    assert shown.count("data-right") == 1


def test_an_image_that_most_see_small_is_shown_small(bench: ObjectBench) -> None:
    bench.write(replace(live("two", 800, 600), access="small:400:staff", revision=2))
    bench.objects.put(book())
    (item,) = re.findall(r'<li class="canvas" id="view-2".*?</li>', page(bench), re.DOTALL)
    assert 'data-width="400"' in item
    assert 'data-right="staff"' in item
    assert "data-hidden" not in item
    assert "/iiif/3/two/full/max/0/default.jpg" in item


def test_the_scale_is_known_of_what_was_measured(bench: ObjectBench) -> None:
    bench.objects.put(book(canvases=(Canvas(image="two", width_mm=320.0), Canvas(image="one"))))
    shown = page(bench)
    assert shown.count("data-resolution") == 1
    assert 'data-resolution="2.5"' in shown  # 800 pixels


def test_an_image_of_another_server_is_linked_and_not_loaded(bench: ObjectBench) -> None:
    elsewhere = ImageElsewhere(address="https://other.example/a.jpg", width=9, height=9)
    bench.objects.put(book(canvases=(Canvas(image="one"), Canvas(elsewhere=elsewhere))))
    assert '<a href="https://other.example/a.jpg">' in page(bench)
    assert not re.search(r'(src|srcset)="https?:', page(bench))


def test_a_text_in_another_language_says_so(bench: ObjectBench) -> None:
    bench.objects.put(book(summary={"nl": ("Over het boek",)}))
    assert '<p lang="nl">Over het boek</p>' in page(bench)


def test_no_page_has_anything_inline(bench: ObjectBench) -> None:
    bench.objects.put(book(title='<b onclick="x">"A" & B</b>'))
    for key in ("objects/book", "embed/book"):
        shown = page(bench, key)
        assert not re.search(r"<[^>]+\s(style|on\w+)=", shown)
        assert "<style" not in shown
        assert "<script>" not in shown


def test_an_identifier_with_a_slash_has_one_key_and_one_address(bench: ObjectBench) -> None:
    bench.objects.put(book("a/b 50%"))
    assert object_page_key("a/b 50%") == "objects/a%2Fb 50%25"
    assert f'href="{BASE}/objects/a%2Fb%2050%25"' in page(bench, "objects/a%2Fb 50%25")


def test_oembed_gives_the_frame_of_the_object(bench: ObjectBench) -> None:
    bench.objects.put(book())
    document = json.loads(bench.site.get("oembed/book")[0])
    assert f'src="{BASE}/embed/book"' in document["html"]
    assert document["thumbnail_width"] == 800
    assert f'href="{BASE}/oembed/book"' in page(bench)


def test_search_engines_read_what_it_is_and_its_licence(bench: ObjectBench) -> None:
    credit = Statement(label={"en": ("By",)}, value={"en": ("</script><b> & Co",)})
    bench.objects.put(book(rights=LICENCE, required_statement=credit))
    (block,) = re.findall(
        r'<script type="application/ld\+json">(.*?)</script>', page(bench), re.DOTALL
    )
    document = json.loads(block)
    assert document["@type"] == "VisualArtwork"
    assert document["license"] == LICENCE
    assert document["image"][0]["contentUrl"] == f"{BASE}/iiif/3/one/full/max/0/default.jpg"
    assert document["image"][2]["creditText"] == "</script><b> & Co"
