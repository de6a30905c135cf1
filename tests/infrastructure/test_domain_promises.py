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


@pytest.mark.slow
def test_cloudfront_speaks_nothing_but_tls_to_the_balancer(operated):
    listener = operated.one("AWS::ElasticLoadBalancingV2::Listener").properties
    assert (listener["Port"], listener["Protocol"]) == (443, "HTTPS")
    assert listener["Certificates"] == [{"CertificateArn": OPERATED["balancer_certificate_arn"]}]
    assert listener["SslPolicy"] == "ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09"
    endpoint = operated.one("AWS::CloudFront::VpcOrigin").properties["VpcOriginEndpointConfig"]
    assert endpoint["OriginProtocolPolicy"] == "https-only"
    assert endpoint["OriginSSLProtocols"] == ["TLSv1.2"]
    (origin,) = [item for item in _distribution(operated)["Origins"] if "VpcOriginConfig" in item]
    assert origin["DomainName"] == "images.example.org", "which the certificate is for"
    rules = [item.properties for item in operated.of("AWS::EC2::SecurityGroupIngress")]
    ports = [rule["FromPort"] for rule in rules if "SourcePrefixListId" in rule]
    assert ports == [443]


def test_the_web_acl_is_in_us_east_1(templates):
    acl = templates.one("AWS::WAFv2::WebACL")
    (stack,) = [
        item for item in templates.assembly.stacks if item.stack_name.endswith(f"-{acl.stage}")
    ]
    assert stack.environment.region == "us-east-1"
    assert _distribution(templates)["WebACLId"]
