"""A record that is not XML is named and left out; the others of its answer are harvested."""

from pathlib import Path

import pytest

from vitrine.sources.harvest.guarded_http import NotHarvested
from vitrine.sources.harvest.kept_folder import Harvest
from vitrine.sources.harvest.oai_pmh import Repository
from vitrine.sources.harvest.record_folder import RecordFolder
from vitrine.sources.harvest.record_split import MAX_ENVELOPE_BYTES

SPACE = b'xmlns="http://www.openarchives.org/OAI/2.0/"'
MARC = b'<record xmlns="http://www.loc.gov/MARC21/slim"><leader>1</leader></record>'
BROKEN = {
    "a control character": b"A \x1f title",
    "a reference to one": b"A &#x1f; title",
    "bytes that are not UTF-8": b"A \xff\xfe title",
    "an entity that XML lacks": b"A&nbsp;title",
    "an ampersand alone": b"A & title",
    "a tag that is not closed": b"A <i>title",
}


def record(number: int, title: bytes = b"A title", prefix: bytes = b"") -> bytes:
    name = b"oai:x:%d" % number
    return (
        b"<P:record>\n<P:header><P:identifier>" + name + b"</P:identifier></P:header><P:metadata>"
        b"<dc><title>" + title + b"</title></dc>" + MARC + b"</P:metadata></P:record>"
    ).replace(b"P:", prefix)


def answer(*records: bytes, space: bytes = SPACE, prefix: bytes = b"", token: bytes = b"") -> bytes:
    return (
        b"<P:OAI-PMH " + space + b"><P:responseDate>2026-11-28T06:00:00Z</P:responseDate>"
        b"<P:ListRecords>" + b"".join(records) + b"<P:resumptionToken>" + token +
        b"</P:resumptionToken></P:ListRecords></P:OAI-PMH>"
    ).replace(b"P:", prefix)  # fmt: skip


def harvest(folder: Path, *answers: bytes) -> Harvest:
    left = iter(answers)
    repository = Repository("https://a.example/oai", lambda _: next(left))
    return RecordFolder(folder, repository, "oai_dc").harvest(everything=True)


def names(folder: Path) -> list[str]:
    return [path.stem.replace("%3A", ":") for path in sorted(folder.glob("*.xml"))]


@pytest.mark.parametrize("prefix", [b"", b"oai:"])
def test_the_broken_record_is_named_and_all_others_are_harvested(
    tmp_path: Path, prefix: bytes
) -> None:
    space = SPACE.replace(b"xmlns=", b"xmlns:oai=") if prefix else SPACE
    for kind, text in BROKEN.items():
        folder = tmp_path / kind
        pages = [
            answer(
                *(record(page * 10 + n, text if n == at else b"A", prefix) for n in range(3)),
                space=space, prefix=prefix, token=b"next" if page == 1 else b"",
            )
            for page, at in ((1, 1), (2, 2))
        ]  # fmt: skip
        done = harvest(folder, *pages)
        assert names(folder) == ["oai:x:10", "oai:x:12", "oai:x:20", "oai:x:21"], kind
        assert [one.split(" is left out: it is not XML (")[0] for one in done.failures] == [
            "oai:x:11",
            "oai:x:22",
        ], kind
        assert b"MARC21" in (folder / "oai%3Ax%3A10.xml").read_bytes()


def test_what_was_harvested_of_a_record_before_it_broke_stays(tmp_path: Path) -> None:
    harvest(tmp_path, answer(record(1), record(2), record(3)))
    done = harvest(tmp_path, answer(record(1), record(2, b"\x1f")))
    assert (names(tmp_path), done.deleted) == (["oai:x:1", "oai:x:2"], 1)


def test_nothing_is_removed_while_a_broken_record_has_no_legible_name(tmp_path: Path) -> None:
    harvest(tmp_path, answer(record(1), record(2), record(3)))
    for bad in (
        record(2).replace(b"oai:x:2", b"oai:x:\xff"),
        record(2).replace(b"oai:x:2", b"oai:x:\x01"),
        record(2).replace(b"oai:x:2", b""),
    ):
        done = harvest(tmp_path, answer(record(1), bad))
        assert names(tmp_path) == ["oai:x:1", "oai:x:2", "oai:x:3"]
        (failure,) = done.failures
        assert failure.startswith("A record without a legible identifier, number 2 is left out: it")


def test_an_answer_that_is_broken_outside_of_its_records_ends_the_harvest(tmp_path: Path) -> None:
    good = answer(record(1))
    for bad in (
        good.replace(b"2026-11", b"2026\x1f11"),
        good[: good.index(b"</metadata>")],
        good[:-4],
        answer(record(1, b"&"), token=b"x" * MAX_ENVELOPE_BYTES),
        b"<OAI-PMH>\x1f",
    ):
        with pytest.raises(NotHarvested, match="does not answer in XML"):
            harvest(tmp_path, bad)
