"""The handler that brings the searches up to date finds the texts of what was published."""

import msgspec
import pytest

from tests.unit.lambdas.lambda_functions import Functions, batch
from tests.unit.present.inside.inside_bench import page
from tests.unit.present.objects.object_bench import shelf
from vitrine.errors import TransientError
from vitrine.present.across.search import Across
from vitrine.present.inside.build import build_index
from vitrine.present.inside.query import parse_query
from vitrine.present.inside.stored import StoredIndexes
from vitrine.present.objects.objects import Objects
from vitrine.store.layout import publication_key, text_index_key
from vitrine.store.publications import Published, decode_publication, encode_publication


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> Functions:
    """Handlers over one set of memory adapters, with one collection that is published."""
    made = Functions(monkeypatch)
    Objects(made.publisher).put(shelf())
    return made


def _give_text(functions: Functions) -> None:
    """Let what is published name a text index, as of an object whose pages have a text."""
    site, key = functions.publisher.site, publication_key("shelf")
    publication = decode_publication(site.get(key)[0])
    assert isinstance(publication, Published)
    body = encode_publication(msgspec.structs.replace(publication, text_index="1"))
    site.put(key, body, content_type="x/y")
    index = build_index([page("two birds")])
    site.put(text_index_key("shelf", "1"), index, content_type="x/y")


def test_the_text_of_what_was_published_is_found(functions: Functions) -> None:
    _give_text(functions)
    functions("update_search", batch("{}"))
    site = functions.publisher.site
    found = Across(site, StoredIndexes(site)).find(parse_query("birds"), 0, lambda *name: True)
    assert [one.identifier for one in found.items] == ["shelf"]


def test_texts_that_take_too_long_are_left_to_the_next_run(functions: Functions) -> None:
    functions("update_search", batch("{}"))
    _give_text(functions)
    with pytest.raises(TransientError, match=r"0 texts .* `vitrine collection index"):
        functions("update_search", batch("{}"), milliseconds=180_000)
    assert functions("update_search", batch("{}")) == {"batchItemFailures": []}
