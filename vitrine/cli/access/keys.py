"""`vitrine access`: the keys of tickets, and the end of share links."""

import re
import time
from collections.abc import Callable
from typing import Annotated

import typer

from vitrine.access.keys import Keys
from vitrine.access.rules import SHARE
from vitrine.access.tickets import MAX_SECONDS
from vitrine.bootstrap.deployment import Deployment
from vitrine.cli.console.environment import DEFAULT, Environment, connected
from vitrine.cli.console.printing import print_json, print_lines
from vitrine.cli.console.program import AsJson, stop
from vitrine.store.ticket_keys import (
    TicketKeys,
    change_ticket_keys,
    copy_ticket_keys,
    make_ticket_keys,
    read_ticket_keys,
)

_LINK = re.compile(r"[0-9a-f]{16}")


def rotate_keys(environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Sign tickets and share links with a new key; those of the previous key stay valid.

    Run it twice to end everything that was signed before: every share link, and every ticket of
    somebody who has signed in.

    Exit code 0: done. 2: the service is not running.
    """
    with connected(environment) as service:
        changed = change_keys(service, TicketKeys.rotate)
    names = list(changed.keys.secrets)
    if as_json:
        print_json({"keys": names})
    else:
        earlier = f"; those of {names[0]} stay valid" if len(names) > 1 else ""
        print_lines([f"Tickets are now signed with the key {names[-1]}{earlier}."])


def revoke(
    link: Annotated[str, typer.Argument(help="The link's id, as `access share` prints it.")],
    environment: Environment = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """End a share link: at the edge as soon as CloudFront has spread it, at the origin in a minute.

    `vitrine access unshare` ends all links to an image.

    Exit code 0: done. 1: this is not the id of a link. 2: the service is not running.
    """
    now = time.time()
    ends = int(now) + MAX_SECONDS[SHARE]
    with connected(environment) as service:
        if not _LINK.fullmatch(link):
            stop(f"{link!r} is no id of a share link: it has 16 hexadecimal digits.")
        change_keys(service, lambda current: current.revoke(link, ends, now))
    if as_json:
        print_json({"revoked": link})
    else:
        print_lines([f"The link {link} is no longer valid."])


def sync(environment: Environment = DEFAULT, as_json: AsJson = False) -> None:
    """Write the keys and the revoked links to the edge again, from where they are kept.

    Run it after a command of this group was interrupted, or a store of the edge was replaced.

    Exit code 0: done. 2: the service is not running.
    """
    with connected(environment) as service:
        kept = make_keys(service)
    if as_json:
        print_json({"keys": list(kept.keys.secrets), "revoked": sorted(kept.revoked)})
    else:
        print_lines(
            [f"The edge has {len(kept.keys.secrets)} keys and {len(kept.revoked)} revoked links."]
        )


def change_keys(service: Deployment, change: Callable[[TicketKeys], TicketKeys]) -> TicketKeys:
    """Change the keys and revoked links, and return what the edge has then.

    Raises TransientError.
    """
    change_ticket_keys(service.records, change)
    return copy_ticket_keys(service.records, service.edge_keys)


def signing_keys(service: Deployment) -> Keys:
    """Return the keys, after making the first one; nothing is written if there is one.

    Raises TransientError.
    """
    stored = read_ticket_keys(service.records)
    return (stored if stored.keys.secrets else make_keys(service)).keys


def make_keys(service: Deployment) -> TicketKeys:
    """Return the keys, after making the first one; the edge has them as well.

    Raises TransientError.
    """
    return make_ticket_keys(service.records, service.edge_keys)
