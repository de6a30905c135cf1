"""The harvester's side of OAI-PMH 2.0 (http://www.openarchives.org/OAI/openarchivesprotocol.html)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from lxml import etree

from vitrine.sources.harvest.guarded_http import NotHarvested
from vitrine.sources.harvest.record_split import find_identifier, split_records
from vitrine.sources.mapping.xml_records import new_parser

_SPACE = "{http://www.openarchives.org/OAI/2.0/}"
MAX_PAGES = 100_000
NO_RECORDS, LOST_TOKEN = "noRecordsMatch", "badResumptionToken"
_DAYS = "YYYY-MM-DD"

Fetch = Callable[[str], bytes]


class TokenLost(NotHarvested):
    """A repository does not go on where it was; everything has to be asked for again."""


@dataclass(frozen=True)
class OaiRecord:
    """A record; `body` is its XML, None if the repository says that it is deleted."""

    identifier: str
    body: bytes | None
    fault: str = ""
    """Why it cannot be read; its identifier may then be empty."""


@dataclass(frozen=True)
class OaiPage:
    """A part of a list."""

    records: tuple[OaiRecord, ...]
    token: str
    """For the next part; empty after the last."""
    answered: str
    """Time of the answer, by the repository's clock: the next harvest begins there."""


@dataclass(frozen=True)
class Repository:
    """An OAI-PMH repository."""

    address: str
    fetch: Fetch

    def day_or_second(self, moment: str) -> str:
        """Return a moment as the repository counts time (3.3.1, granularity)."""
        answer = self._ask(verb="Identify")
        granularity = answer.findtext(f".//{_SPACE}granularity", "").strip()
        return moment[: len(_DAYS)] if granularity == _DAYS else moment

    def pages(
        self, prefix: str, *, set_name: str = "", since: str = "", token: str = ""
    ) -> Iterator[OaiPage]:
        """Yield all records in this format, those changed `since`, or what is left behind `token`.

        Raises TokenLost and NotHarvested.
        """
        first = {"metadataPrefix": prefix, "set": set_name, "from": since}
        seen: set[str] = set()
        while len(seen) < MAX_PAGES:
            question = {"resumptionToken": token} if token else first
            page = self._list(**{name: value for name, value in question.items() if value})
            yield page
            if not page.token:
                return
            if page.token in seen or page.token == token:
                raise NotHarvested(f"{self.address} names the same next part again: {page.token}")
            seen.add(page.token)
            token = page.token
        raise NotHarvested(f"{self.address} has more than {MAX_PAGES:,} parts")

    def _list(self, **question: str) -> OaiPage:
        address = self._address({"verb": "ListRecords", **question})
        body = self.fetch(address)
        try:
            answer = _parse(body)
            records = list(_records(answer))
        except etree.XMLSyntaxError:
            envelope, documents = split_records(body)
            answer = self._read(address, envelope)
            records = [one for document in documents for one in _read_alone(document)]
        self._check(address, answer)
        token = answer.findtext(f".//{_SPACE}resumptionToken", "").strip()
        answered = answer.findtext(f"{_SPACE}responseDate", "").strip()
        return OaiPage(tuple(records), token, answered)

    def _ask(self, **question: str) -> Any:
        address = self._address(question)
        answer = self._read(address, self.fetch(address))
        self._check(address, answer)
        return answer

    def _read(self, address: str, body: bytes) -> Any:
        try:
            return _parse(body)
        except etree.XMLSyntaxError as error:
            raise NotHarvested(f"{address} does not answer in XML: {error}") from None

    def _address(self, question: dict[str, str]) -> str:
        return f"{self.address}?{urlencode(question)}"

    def _check(self, address: str, answer: Any) -> None:
        """Raise NotHarvested, TokenLost among it, for an answer that is a refusal."""
        if answer is None or answer.tag != f"{_SPACE}OAI-PMH":
            raise NotHarvested(f"{address} is no OAI-PMH repository: it answers something else")
        refusal = answer.find(f"{_SPACE}error")
        if refusal is None or refusal.get("code") == NO_RECORDS:
            return
        code, text = refusal.get("code", ""), " ".join((refusal.text or "").split())
        kind = TokenLost if code == LOST_TOKEN else NotHarvested
        raise kind(f"{address} was refused: {code} {text}".rstrip())


def _parse(body: bytes) -> Any:
    return etree.fromstring(body, new_parser())


def _read_alone(document: bytes) -> Iterator[OaiRecord]:
    """Yield the record of a document that has no other, also if it is not XML."""
    try:
        yield from _records(_parse(document))
    except etree.XMLSyntaxError as error:
        # The place is that in this document, not in the answer.
        reason = re.sub(r", line \d+, column \d+.*$", "", str(error), flags=re.DOTALL)
        yield OaiRecord(find_identifier(document), None, f"it is not XML ({reason})")


def _records(root: Any) -> Iterator[OaiRecord]:
    for element in root.iter(f"{_SPACE}record"):
        header = element.find(f"{_SPACE}header")
        name = "" if header is None else header.findtext(f"{_SPACE}identifier", "").strip()
        if not name:
            yield OaiRecord("", None, "it has no identifier")
        elif header.get("status") == "deleted":
            yield OaiRecord(name, None)
        else:
            yield OaiRecord(name, etree.tostring(element, encoding="utf-8", with_tail=False))
