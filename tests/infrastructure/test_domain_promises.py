"""The firewall before the edge, and an environment with a domain of its own."""

import pytest

from tests.infrastructure.own_values import OPERATED


def _distribution(templates):
    return templates.one("AWS::CloudFront::Distribution").properties["DistributionConfig"]


@pytest.mark.slow
def test_the_domain_leads_to_the_distribution_in_ipv4_and_ipv6(operated, dev):
    records = [item.properties for item in operated.of("AWS::Route53::RecordSet")]
    assert {record["Type"] for record in records} == {"A", "AAAA"}
    distribution = operated.one("AWS::CloudFront::Distribution")
    for record in records:
        assert (record["HostedZoneId"], record["Name"]) == ("Z0EXAMPLE", "images.example.org")
        alias = record["AliasTarget"]
        assert alias["DNSName"] == {"Fn::GetAtt": [distribution.id, "DomainName"]}
        assert alias["HostedZoneId"] == "Z2FDTNDATAQYW2"
    assert "AWS::Route53::RecordSet" not in {item.kind for item in dev.resources}


@pytest.mark.slow
def test_a_certificate_brings_the_domain_and_modern_tls(operated):
    arn = OPERATED["certificate_arn"]
    templates = operated
    config = _distribution(templates)
    assert config["Aliases"] == ["images.example.org"]
    assert config["ViewerCertificate"]["AcmCertificateArn"] == arn
    assert config["ViewerCertificate"]["MinimumProtocolVersion"] == "TLSv1.2_2025"
    for container in templates.one("AWS::ECS::TaskDefinition", "ImageTask").properties[
        "ContainerDefinitions"
    ]:
        variables = {item["Name"]: item["Value"] for item in container["Environment"]}
        assert variables["VITRINE_PUBLIC_BASE_URL"] == "https://images.example.org"


def test_the_web_acl_is_in_us_east_1(templates):
    acl = templates.one("AWS::WAFv2::WebACL")
    (stack,) = [
        item for item in templates.assembly.stacks if item.stack_name.endswith(f"-{acl.stage}")
    ]
    assert stack.environment.region == "us-east-1"
    assert _distribution(templates)["WebACLId"]
