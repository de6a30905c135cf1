"""The harvester's side of OAI-PMH 2.0 (http://www.openarchives.org/OAI/openarchivesprotocol.html)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from lxml import etree

from vitrine.present.harvest.guarded_http import NotHarvested
from vitrine.present.mapping.xml_records import new_parser

_SPACE = "{http://www.openarchives.org/OAI/2.0/}"
MOST_PAGES = 100_000
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


@dataclass(frozen=True)
class OaiPage:
    """A part of a list."""

    records: tuple[OaiRecord, ...]
    token: str
    """For the next part; empty after the last."""
    answered: str
    """When the repository made it, in its own time: from there the next harvest asks."""


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
        while len(seen) < MOST_PAGES:
            question = {"resumptionToken": token} if token else first
            page = self._list(**{name: value for name, value in question.items() if value})
            yield page
            if not page.token:
                return
            if page.token in seen or page.token == token:
                raise NotHarvested(f"{self.address} names the same next part again: {page.token}")
            seen.add(page.token)
            token = page.token
        raise NotHarvested(f"{self.address} has more than {MOST_PAGES:,} parts")

    def _list(self, **question: str) -> OaiPage:
        answer = self._ask(verb="ListRecords", **question)
        records = tuple(map(self._record, answer.iter(f"{_SPACE}record")))
        token = answer.findtext(f".//{_SPACE}resumptionToken", "").strip()
        answered = answer.findtext(f"{_SPACE}responseDate", "").strip()
        return OaiPage(records, token, answered)

    def _record(self, element: Any) -> OaiRecord:
        header = element.find(f"{_SPACE}header")
        identifier = "" if header is None else header.findtext(f"{_SPACE}identifier", "").strip()
        if not identifier:
            raise NotHarvested(f"{self.address} has a record without an identifier")
        if header.get("status") == "deleted":
            return OaiRecord(identifier, None)
        return OaiRecord(identifier, etree.tostring(element, encoding="utf-8", with_tail=False))

    def _ask(self, **question: str) -> Any:
        address = f"{self.address}?{urlencode(question)}"
        try:
            answer = etree.fromstring(self.fetch(address), new_parser())
        except etree.XMLSyntaxError as error:
            raise NotHarvested(f"{address} does not answer in XML: {error}") from None
        if answer is None or answer.tag != f"{_SPACE}OAI-PMH":
            raise NotHarvested(f"{address} is no OAI-PMH repository: it answers something else")
        refusal = answer.find(f"{_SPACE}error")
        if refusal is None or refusal.get("code") == NO_RECORDS:
            return answer
        code, text = refusal.get("code", ""), " ".join((refusal.text or "").split())
        kind = TokenLost if code == LOST_TOKEN else NotHarvested
        raise kind(f"{address} was refused: {code} {text}".rstrip())
