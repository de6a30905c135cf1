"""What the search page shows of texts, and says, for the answers of the service."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from vitrine.site.pages.object_view import MAX_VIEWS

SCRIPT = Path(__file__).parents[4] / "site" / "search" / "texts.js"
BASE = "https://images.example.org"
# As much of a document as the script needs; no package of npm is installed for it.
ASK = """
class Element {
  hidden = false; children = []; attributes = {}; dataset = { views: MAX_VIEWS };
  constructor(name = '') { this.name = name; }
  get childElementCount() { return this.children.length; }
  get lastElementChild() { return this.children.at(-1) ?? null; }
  get href() { return this.querySelector('a').attributes.href; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  setAttribute(name, value) { this.attributes[name] = value; }
  removeAttribute(name) { delete this.attributes[name]; }
  querySelector(name) { return this.children.find((child) => child.name === name) ?? null; }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  focus() { focused = this; }
}
const make = (name) => new Element(name);
globalThis.document = { createElement: make };
const [section, list, more, input] = ['section', 'ol', 'button', 'input'].map(make);
section.append(list, more);
let [focused, sentence, asked] = [more, null, []];
globalThis.fetch = async (address) => {
  asked.push(address.split('?')[1]);
  const answer = ANSWERS.shift();
  return typeof answer === 'number'
    ? { ok: false, status: answer }
    : { ok: true, status: 200, json: async () => answer };
};
const page = {
  language: 'en', suffix: '', number: String, input,
  say: (name, values) => name + (values?.count ? ` ${values.count}` : ''),
  tell: (said) => { sentence = said; },
};
const { Texts } = await import(SCRIPT);
const seen = [];
const look = () => seen.push({
  sentence, asked, isHidden: section.hidden, hasMore: !more.hidden,
  isBusy: 'aria-disabled' in more.attributes,
  links: list.children.map((child) => child.href), focused: focused.name,
});
sentence = await new Texts(section, page).show('"two birds"', 0);
look();
while (ANSWERS.length) {
  asked = [];
  await more.onclick();
  look();
}
console.log(JSON.stringify(seen));
"""


def show(*answers: dict[str, Any] | int) -> list[dict[str, Any]]:
    """Return what is seen after a query, and each time more is asked for; a number is a status."""
    given = {"MAX_VIEWS": MAX_VIEWS, "SCRIPT": SCRIPT.as_uri(), "ANSWERS": answers}
    code = "".join(f"const {name} = {json.dumps(value)};" for name, value in given.items()) + ASK
    done = subprocess.run(
        ["node", "--input-type=module", "-e", code],
        capture_output=True,
        text=True,
        check=True,
    )
    seen: list[dict[str, Any]] = json.loads(done.stdout)
    return seen


def answer(
    *objects: str, following: int = 0, total: int = 66, number: int = 1, is_exact: bool = False
) -> dict[str, Any]:
    """Return an answer of the service with a match on a page of each object."""
    manifests = [f"{BASE}/presentation/3/{name}/manifest.json" for name in objects]
    canvases: Sequence[dict[str, Any]] = [
        {
            "id": f"{BASE}/presentation/3/{name}/canvas/{number}#xywh=100,100,50,15",
            "partOf": [{"id": manifest, "label": {"en": [name]}, "found": {"pages": 1}}],
        }
        for name, manifest in zip(objects, manifests, strict=True)
    ]
    selector = [{"prefix": "", "exact": "two birds", "suffix": ""}]
    found = {"objects": total, "pages": 131, "isExact": is_exact}
    return {
        "items": [{"id": name, "target": at} for name, at in zip(objects, canvases, strict=True)],
        "annotations": [
            {"items": [{"target": {"source": name, "selector": selector}} for name in objects]}
        ],
        "partOf": [{"found": found}],
        **(
            {"next": {"id": f"{BASE}/inside/3/search-2?q=x&start={following}"}} if following else {}
        ),
    }


def test_answers_without_an_object_are_followed_to_those_with_one() -> None:
    [seen] = show(answer(following=30), answer(following=60), answer("late"))
    assert [one.partition("start=")[2] for one in seen["asked"]] == ["", "30", "60"]
    assert (seen["sentence"], seen["isHidden"], len(seen["links"])) == ("texts_most 66", False, 1)
    assert not seen["hasMore"]


def test_where_none_was_found_yet_the_page_says_up_to_how_many_and_goes_on_when_asked() -> None:
    empty = [answer(following=30 * number) for number in (1, 2, 3)]
    first, second = show(*empty, answer("late"))
    assert first["sentence"] == "texts_most 66"
    assert (first["isHidden"], first["hasMore"], first["links"]) == (False, True, [])
    assert [one.partition("start=")[2] for one in second["asked"]] == ["90"]
    assert (len(second["links"]), second["focused"]) == (1, "a")


def test_what_follows_to_its_end_without_an_object_is_hidden_and_the_box_has_the_focus() -> None:
    empty = [answer(following=30 * number) for number in (1, 2, 3)]
    _, last = show(*empty, answer())
    assert (last["sentence"], last["isHidden"], last["focused"]) == ("", True, "input")


def test_more_that_fails_says_so_keeps_the_focus_and_can_be_asked_for_again() -> None:
    first, failed, mended = show(answer("one", following=30), 502, answer("two"))
    assert (first["hasMore"], len(first["links"])) == (True, 1)
    assert (failed["sentence"], failed["focused"]) == ("texts_trouble", "button")
    assert (failed["hasMore"], failed["isBusy"], len(failed["links"])) == (True, False, 1)
    assert (mended["sentence"], len(mended["links"])) == ("texts_most 66", 2)


@pytest.mark.parametrize(
    ("status", "sentence"), [(400, "texts_refused"), (404, ""), (503, "texts_trouble")]
)
def test_a_query_that_is_refused_says_why_and_a_copy_without_a_service_says_nothing(
    status: int, sentence: str
) -> None:
    [seen] = show(status)
    assert (seen["sentence"], seen["isHidden"]) == (sentence, True)


def test_a_total_that_is_exact_is_said_as_one() -> None:
    [seen] = show(answer("a", total=1, is_exact=True))
    assert seen["sentence"] == "texts_one 1"


def test_a_total_of_which_nothing_is_shown_yet_is_the_most_that_there_may_be() -> None:
    """Many objects that the index names may have been withdrawn since."""
    [seen] = show(*[answer(following=30 * number, is_exact=True) for number in (1, 2, 3)])
    assert seen["sentence"] == "texts_most 66"


def test_a_page_that_the_object_s_page_does_not_show_opens_in_mirador() -> None:
    [shown] = show(answer("long", number=MAX_VIEWS))
    [behind] = show(answer("long", number=MAX_VIEWS + 1))
    assert shown["links"][0].startswith("/objects/long?iiif-content=")
    assert behind["links"][0].startswith("/viewers/mirador.html?iiif-content=")
