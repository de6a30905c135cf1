"""The rules of the balancer's listener, as deployed, for the edge that takes its place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vitrine.edge.missing_page import CONTENT_TYPE, MISSING_PAGE


@dataclass(frozen=True)
class Listener:
    """What the balancer forwards to the image tasks, and what it answers itself."""

    forwarded: Sequence[str]
    """Patterns of paths; `*` matches anything, `?` one character, capitals count (Elastic Load
    Balancing, "Path conditions")."""
    status: int
    content_type: str
    body: str


LAMBDA = Listener(["*"], 404, CONTENT_TYPE, MISSING_PAGE)
"""In place of a balancer, a Lambda that serves images takes every path."""


def read_listener(client: Any, arn: str) -> Listener:
    """Return the listener of this ARN; `client` is boto3's of `elbv2`.

    Raises ValueError if it has a rule of another kind than the image balancer's: conditions other
    than paths, or actions other than to forward these and to answer the rest itself.
    """
    forwarded: list[str] = []
    answers = []
    for rule in client.describe_rules(ListenerArn=arn)["Rules"]:
        [action] = rule["Actions"]
        if rule["IsDefault"] and action["Type"] == "fixed-response":
            answers.append(action["FixedResponseConfig"])
            continue
        fields = [condition["Field"] for condition in rule["Conditions"]]
        if fields != ["path-pattern"] or action["Type"] != "forward":
            raise ValueError(f"The edge of one machine cannot follow this listener's rule: {rule}")
        forwarded += rule["Conditions"][0]["PathPatternConfig"]["Values"]
    [answer] = answers
    return Listener(
        forwarded, int(answer["StatusCode"]), answer["ContentType"], answer["MessageBody"]
    )


def unforwarded_lines(listener: Listener) -> str:
    """Return the lines of nginx's `map` that gives 1 to a path that no rule forwards."""
    rows = (f'"~{_header_expression(pattern)}" "";' for pattern in listener.forwarded)
    return " ".join(["default 1;", *rows])


def _header_expression(pattern: str) -> str:
    text = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return f"^{text}$".replace('"', r"\"")
