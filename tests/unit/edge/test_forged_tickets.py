"""Tickets that give nothing are refused by the edge's function, and cost the origin nothing."""

import base64
import time
from collections import Counter
from dataclasses import replace

import pytest

from tests.unit.edge.restricted_world import KEYS, Asked, run_functions
from vitrine.access.keys import Keys
from vitrine.access.tickets import Ticket, sign_ticket
from vitrine.store.ticket_keys import TicketKeys

pytestmark = pytest.mark.slow


def test_ten_thousand_tickets_that_give_nothing_cost_the_edge_alone() -> None:
    """None of their requests goes on to the origin."""
    now, kinds = int(time.time()), 8
    others = Keys.create()
    older = KEYS.rotate().rotate()
    paths = ["iiif/3/ours/full/max/0/default.jpg", "iiif/3/ours/0,0,256,256/256,256/0/default.jpg"]

    def forge(number: int) -> str:
        ticket = Ticket(issued_at=now - number % 7, expires_at=now + 600, rights=("staff",))
        text = sign_ticket(ticket, KEYS)
        head, _, signature = text.rpartition(".")
        match number % kinds:
            case 0:
                return sign_ticket(ticket, others).replace(others.current, KEYS.current)
            case 1:
                return text[: 1 + number % (len(text) - 1)]
            case 2:
                other = "B" if signature[-2] == "A" else "A"
                return f"{head}.{signature[:-2]}{other}{signature[-1]}"
            case 3:
                return sign_ticket(replace(ticket, rights=("curators",)), KEYS)
            case 4:
                return sign_ticket(replace(ticket, issued_at=now - 700, expires_at=now - 1), KEYS)
            case 5:
                return sign_ticket(ticket, older)
            case 6:
                return sign_ticket(replace(ticket, network="198.51.100.7"), KEYS)
            case _:
                claims = f'{{"iat":{now},"exp":{now + 9},"use":"see","rights":["staff"]}}'
                encoded = base64.urlsafe_b64encode(claims.encode()).rstrip(b"=").decode()
                return f"v1.{KEYS.current}.{encoded}.{signature}"

    viewed = [
        Asked(f"/restricted/staff/{text}/{path}")
        if number % 2
        else Asked(f"/restricted/staff/{path}", cookies={"__Host-vitrine-ticket": text})
        for number in range(10_000)
        for text, path in [(forge(number), paths[number % 3 % 2])]
    ]
    verdicts = run_functions([one.event() for one in viewed], TicketKeys(KEYS))
    statuses = Counter(verdict.get("statusCode", "goes on") for verdict in verdicts)
    assert set(statuses) <= {401, 404}
    assert statuses[401] > 9_900
