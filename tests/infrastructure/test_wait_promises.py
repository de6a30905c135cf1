"""Each waits for an answer longer than who is behind it, so that the right error arrives."""

import re
import subprocess

import pytest

from stacks.stage import REPOSITORY
from tests.unit.edge.edge_vectors import FUNCTIONS
from vitrine.deliver.render.iipsrv import SHARE_OF_ANSWER
from vitrine.local.edge.edge import write_configuration

CLOUDFRONT_MOST_SECONDS = 120


def _seconds(configuration: str, directive: str) -> set[int]:
    found = re.findall(rf"^ *{directive} ([0-9]+)s;", configuration, re.MULTILINE)
    return {int(one) for one in found}


@pytest.fixture(scope="module")
def variables(templates):
    """The environment of the container of nginx."""
    task = templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties
    [nginx] = [one for one in task["ContainerDefinitions"] if one["Name"] == "nginx"]
    return {one["Name"]: str(one["Value"]) for one in nginx["Environment"]}


@pytest.fixture(scope="module")
def nginx(variables, tmp_path_factory):
    """The configuration as nginx's container fills it in; no nginx listens on port 0."""
    work = tmp_path_factory.mktemp("work")
    here = {
        "PATH": "/usr/sbin:/usr/bin:/bin",
        "VITRINE_WORK_DIRECTORY": str(work),
        "VITRINE_ORIGIN_ADDRESS": "127.0.0.1",
        "VITRINE_ORIGIN_PORT": "0",
    }
    done = subprocess.run(
        [REPOSITORY / "containers/nginx/start"],
        env={name: value for name, value in variables.items() if "Fn::" not in value} | here,
        capture_output=True,
        text=True,
    )
    assert "invalid port" in done.stderr
    return (work / "nginx/nginx.conf").read_text()


@pytest.fixture(scope="module")
def balancer(templates):
    """How long the load balancer waits, in seconds."""
    properties = templates.one("AWS::ElasticLoadBalancingV2::LoadBalancer").properties
    attributes = {one["Key"]: one["Value"] for one in properties["LoadBalancerAttributes"]}
    return int(attributes["idle_timeout.timeout_seconds"])


def test_iipsrv_the_gateway_nginx_the_balancer_and_cloudfront_give_up_in_this_order(
    templates, variables, nginx, balancer
):
    gateway = int(variables["VITRINE_ANSWER_SECONDS"])
    assert SHARE_OF_ANSWER * gateway < gateway
    [reading] = _seconds(nginx, "proxy_read_timeout")
    [connecting] = _seconds(nginx, "proxy_connect_timeout")
    [repeating] = _seconds(nginx, "proxy_next_upstream_timeout")
    assert repeating < gateway < reading, "nginx does not repeat what only took too long"
    assert repeating + connecting + reading < balancer
    config = templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [edge] = [
        one["VpcOriginConfig"]["OriginReadTimeout"]
        for one in config["Origins"]
        if "VpcOriginConfig" in one
    ]
    assert balancer < edge <= CLOUDFRONT_MOST_SECONDS


def test_idle_connections_are_closed_by_who_opened_them(templates, nginx, balancer):
    [kept] = _seconds(nginx, "keepalive_timeout")
    config = templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]
    [edge] = [
        one["VpcOriginConfig"]["OriginKeepaliveTimeout"]
        for one in config["Origins"]
        if "VpcOriginConfig" in one
    ]
    assert edge < balancer < kept


def test_the_edge_of_one_machine_waits_as_the_balancer_does(tmp_path, balancer):
    written = write_configuration(
        tmp_path,
        port=1,
        origin_port=2,
        emulator_port=3,
        site_bucket="site",
        functions=FUNCTIONS,
        photo_door=True,
    ).read_text()
    assert _seconds(written, "proxy_read_timeout") == {balancer}
    assert _seconds(written, "proxy_cache_lock_timeout") == {balancer}
