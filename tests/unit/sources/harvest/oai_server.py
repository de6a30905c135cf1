"""A repository that speaks OAI-PMH over HTTP on this machine, and can misbehave."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from tests.rigs.http_server import QuietHandler, run_server

PAGE = 2
"""Records in a part of a list."""
Answer = tuple[int, dict[str, str], bytes]


@dataclass
class OaiServer:
    """`records` by identifier: the title, or None for a deleted one, and when it changed."""

    records: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    granularity: str = "YYYY-MM-DDThh:mm:ssZ"
    now: str = "2026-11-23T10:00:00Z"
    requests: list[dict[str, str]] = field(default_factory=list)
    trouble: Callable[[dict[str, str]], Answer | None] = lambda question: None
    """Answers in place of the repository, if it wants to."""
    address: str = ""

    def answer(self, question: dict[str, str]) -> Answer:
        self.requests.append(question)
        if found := self.trouble(question):
            return found
        if question["verb"] == "Identify":
            inner = f"<Identify><granularity>{self.granularity}</granularity></Identify>"
        else:
            inner = self._list(question)
        return 200, {"Content-Type": "text/xml"}, self.page(inner)

    def page(self, inner: str) -> bytes:
        return (
            '<?xml version="1.0" encoding="UTF-8"?>'
            '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
            f"<responseDate>{self.now}</responseDate><request/>{inner}</OAI-PMH>"
        ).encode()

    def _list(self, question: dict[str, str]) -> str:
        if "metadataPrefix" in question and question["metadataPrefix"] != "oai_dc":
            return '<error code="cannotDisseminateFormat">Only oai_dc.</error>'
        since, start = question.get("from", ""), 0
        if token := question.get("resumptionToken"):
            since, _, place = token.partition("|")
            start = int(place)
        length = len(self.granularity)
        found = [
            (name, title)
            for name, (title, changed) in sorted(self.records.items())
            if changed[:length] >= since
        ]
        if not found:
            return '<error code="noRecordsMatch"/>'
        more = f"{since}|{start + PAGE}" if start + PAGE < len(found) else ""
        records = "".join(_record(*one) for one in found[start : start + PAGE])
        return f"<ListRecords>{records}<resumptionToken>{more}</resumptionToken></ListRecords>"


def _record(name: str, title: str | None) -> str:
    if title is None:
        return f'<record><header status="deleted"><identifier>{name}</identifier></header></record>'
    return (
        f"<record><header><identifier>{name}</identifier></header><metadata>"
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></oai_dc:dc>'
        "</metadata></record>"
    )


@contextmanager
def oai_server(server: OaiServer) -> Iterator[OaiServer]:
    """Let it answer on a free port of this machine."""

    class Handler(QuietHandler):
        def do_GET(self) -> None:
            found = parse_qs(urlsplit(self.path).query)
            self.send(*server.answer({key: one[0] for key, one in found.items()}))

    with run_server(Handler) as port:
        server.address = f"http://127.0.0.1:{port}/oai"
        yield server
