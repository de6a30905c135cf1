"""Every answer says to machines what the settings say about its use, and nothing by default."""

import pytest

from tests.unit.deliver.answer.gateway_bench import IMAGE, TILE, Bench
from vitrine.settings.deliver import DeliverSettings

STATEMENTS = {
    "robots_tag": "noai, noimageai",
    "content_usage": "train-ai=n",
    "tdm_reservation": "1",
    "tdm_policy": "https://museum.example/tdm.json",
}
SAID = {
    "x-robots-tag": "noai, noimageai",
    "content-usage": "train-ai=n",
    "tdm-reservation": "1",
    "tdm-policy": "https://museum.example/tdm.json",
}
DOCUMENTS = ("/iiif/3/a/info.json", "/presentation/3/a/manifest.json", "/iiif/3/unknown/info.json")


@pytest.mark.parametrize("path", [TILE, IMAGE, *DOCUMENTS])
def test_every_answer_carries_the_statements(path: str) -> None:
    first, at_once = Bench(**STATEMENTS).ask_both(path)
    for answer in (first, at_once) if path == TILE else (first,):
        assert answer
        found = [(name, value) for name, value in answer.headers if name in SAID]
        assert sorted(found) == sorted(SAID.items())


@pytest.mark.parametrize("path", [TILE, IMAGE, *DOCUMENTS])
def test_nothing_is_said_by_default(path: str) -> None:
    assert not SAID.keys() & dict(Bench().ask(path).headers).keys()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"robots_tag": "noai\r\nSet-Cookie: a"}, "robots_tag goes into a header"),
        ({"content_usage": "train-ai=n "}, "content_usage goes into a header"),
        ({"tdm_reservation": "1", "tdm_policy": "https://münchen.example"}, "tdm_policy goes"),
        ({"tdm_policy": "https://museum.example"}, "needs tdm_reservation"),
        ({"tdm_reservation": "yes"}, "tdm_reservation"),
    ],
)
def test_what_is_no_header_is_refused_with_a_sentence(changes: dict[str, str], words: str) -> None:
    names = ("access_masters_bucket", "site_bucket", "identifiers_table")
    with pytest.raises(ValueError, match=words):
        DeliverSettings(**dict.fromkeys(names, "x"), **changes)  # type: ignore[arg-type]
