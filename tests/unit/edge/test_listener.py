"""The edge of one machine follows the rules of the balancer's listener."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from tests.unit.edge.edge_bench import Edge, Upstream, run_edge
from vitrine.edge.policies import origin_patterns
from vitrine.local.edge.listener import Listener, read_listener

TILE = "/iiif/3/a/0,0,256,256/256,256/0/default.jpg"
ARN = "arn:aws:elasticloadbalancing:us-east-1:000000000000:listener/app/a/b/c"
TARGET = "arn:aws:elasticloadbalancing:us-east-1:000000000000:targetgroup/a/b"
ANSWER = {"StatusCode": "418", "ContentType": "text/plain", "MessageBody": "nobody takes this"}
FORWARD = {"Type": "forward", "TargetGroupArn": TARGET}


@contextmanager
def _edge(folder: Path, *patterns: str) -> Iterator[Edge]:
    """Run an edge with a photo door, behind a listener that forwards these patterns."""
    origin, emulator = Upstream(), Upstream()
    origin.serve()
    emulator.serve()
    listener = Listener(patterns, 418, "text/plain", "nobody takes this")
    with run_edge(folder, origin, emulator, photo_door=True, listener=listener) as edge:
        yield edge
    origin.stop()
    emulator.stop()


def _statuses(edge: Edge, *paths: str) -> list[int]:
    return [edge.ask(path)[0] for path in paths]


@pytest.mark.enable_socket
def test_every_path_that_the_edge_takes_from_the_origin_needs_a_rule(tmp_path: Path) -> None:
    paths = {"/iiif/*": TILE, "/presentation/*": "/presentation/3/a/manifest.json"}
    paths |= {"/restricted/*": "/restricted/staff/iiif/3/a/info.json", "/photos": "/photos"}
    patterns = origin_patterns(with_photos=True)
    assert set(patterns) == set(paths)
    with _edge(tmp_path / "all", *patterns) as edge:
        assert _statuses(edge, *paths.values()) == [200] * len(paths)
    for missing in patterns:
        folder = tmp_path / missing.strip("/*")
        with _edge(folder, *(one for one in patterns if one != missing)) as edge:
            expected = [418 if one == missing else 200 for one in paths]
            assert _statuses(edge, *paths.values()) == expected
            status, headers, body = edge.ask(paths[missing] + "?a=b")
            assert (status, body) == (418, b"nobody takes this")
            assert headers["content-type"] == "text/plain"
            assert all(path != paths[missing] for path, _ in edge.origin.received)
            # What the site's bucket lacks is for the same listener to answer.
            edge.emulator.status = 404
            assert edge.ask("/nowhere")[::2] == (418, b"nobody takes this")


@pytest.mark.enable_socket
def test_a_photograph_without_a_rule_is_not_received(tmp_path: Path) -> None:
    with _edge(tmp_path, "/iiif/*") as edge:
        status, _, _ = edge.ask("/photos", "POST", content_length="4000000")
        assert status == 418
        assert edge.origin.received == []


@pytest.mark.enable_socket
def test_patterns_mean_what_they_mean_to_a_balancer(tmp_path: Path) -> None:
    with _edge(tmp_path, "/iiif/3/a?b/*", "/iiif/3/c.d/info.json", "/iiif/3/*$+") as edge:
        assert _statuses(
            edge,
            *("/iiif/3/axb/info.json", "/iiif/3/ab/info.json", "/iiif/3/axxb/info.json"),
            *("/iiif/3/Axb/info.json", "/iiif/2/axb/info.json"),
            *("/iiif/3/c.d/info.json", "/iiif/3/cxd/info.json"),
        ) == [200, 418, 418, 418, 418, 200, 418]


def _read(*rules: dict[str, Any]) -> Listener:
    client = boto3.client("elbv2", region_name="us-east-1")
    described = [{"IsDefault": False, "Priority": "1", **rule} for rule in rules]
    with Stubber(client) as stubbed:
        stubbed.add_response("describe_rules", {"Rules": described}, {"ListenerArn": ARN})
        return read_listener(client, ARN)


DEFAULT = {
    "IsDefault": True,
    "Priority": "default",
    "Conditions": [],
    "Actions": [{"Type": "fixed-response", "FixedResponseConfig": ANSWER}],
}


def _paths(*patterns: str) -> dict[str, Any]:
    values = {"Values": list(patterns)}
    return {"Field": "path-pattern", **values, "PathPatternConfig": values}


def test_the_listener_is_read_as_aws_describes_it() -> None:
    rules = [{"Conditions": [_paths(one, "/b/*")], "Actions": [FORWARD]} for one in ("/a", "/c")]
    assert _read(*rules, DEFAULT) == Listener(
        ["/a", "/b/*", "/c", "/b/*"], 418, "text/plain", "nobody takes this"
    )


@pytest.mark.parametrize(
    "rule",
    [
        {"Conditions": [_paths("/a"), _paths("/b")], "Actions": [FORWARD]},
        {"Conditions": [{"Field": "host-header", "Values": ["a"]}], "Actions": [FORWARD]},
        {"Conditions": [_paths("/a")], "Actions": DEFAULT["Actions"]},
        {**DEFAULT, "Actions": [FORWARD]},
    ],
    ids=["two conditions", "condition on the host", "answer for a path", "all is forwarded"],
)
def test_a_rule_of_another_kind_is_not_passed_over(rule: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="cannot follow this listener's rule"):
        _read(rule, DEFAULT)
