"""What one photograph at the photo door costs by list prices: its decoding, and its way in.

Decoding is paid by the CPU time that it takes, on machines that are never idle; the way by
requests and bytes. Nothing is stored but what is uploaded, and thumbnails come in the answer.
"""

import math
from dataclasses import dataclass

from vitrine.costs.prices import price

IN_BODY, UPLOADED = "in the body of a request", "uploaded to S3"
TO_EDGE, TO_GATEWAY = "in the body, to the edge", "in the body, to the gateway's own address"
METERED_BYTES = 512 << 10
"""An HTTP API counts a request for each. Source: AWS, "Best practices for designing Amazon API
Gateway private APIs and private integration", Cost optimization."""
WAITING_SECONDS = 0.2
"""Assumed: a Lambda waits for the counter, the answer and S3, and is paid for the time."""
FORM_SECONDS, FORM_GIBIBYTES = 0.1, 1
"""Assumed: the API signs a form, as each upload needs one."""
_GIBIBYTES_PER_VCPU = 2
_LAMBDA_VCPU_GIBIBYTES = 1_769 / 1_024
"""Memory for which Lambda gives one virtual CPU. Source: AWS Lambda's documentation."""
_HOUR = 3_600
_GIGABYTE = 1e9


@dataclass(frozen=True, kw_only=True)
class PhotoWork:
    """What one photograph takes on average."""

    cpu_seconds: float
    """CPU seconds of the door and the nginx in front of it."""
    bytes_in: float
    bytes_out: float


def decoding_usd(cpu_seconds: float, region: str) -> dict[str, float]:
    """Return USD for one photograph's decoding, by the way of paying."""
    return {
        "Fargate, on demand": cpu_seconds * _vcpu_second("Fargate x86_64", region),
        "Fargate Spot": cpu_seconds * _vcpu_second("Fargate Spot x86_64", region),
        "Lambda": _lambda_usd(cpu_seconds, _LAMBDA_VCPU_GIBIBYTES, region),
    }


def way_usd(work: PhotoWork, region: str) -> dict[str, float]:
    """Return USD for one photograph's requests and bytes, by the way that it comes in.

    In a body it comes to image tasks.
    """
    # A capacity unit of the balancer takes a gigabyte in an hour.
    balancer = price("Load balancer, capacity unit and hour", region).usd
    answer = _answer_usd(work, region)
    form = _gateway_usd(1, region) + _lambda_usd(FORM_SECONDS, FORM_GIBIBYTES, region)
    return {
        IN_BODY: answer + _edge_usd(work, region) + _price_bytes(work.bytes_in, balancer),
        UPLOADED: (
            answer
            + form
            + price("S3, thousand PUT", region).usd / 1e3
            + price("S3, thousand GET", region).usd / 1e3
        ),
    }


def function_way_usd(work: PhotoWork, region: str) -> dict[str, float]:
    """Return the same for a Lambda, by the address to which the photograph is sent in a body.

    The gateway's own address is not behind the edge, and its answers pay S3's price for a GB.
    """
    wait = WAITING_SECONDS * _LAMBDA_VCPU_GIBIBYTES * price("Lambda, GB-second", region).usd
    gateway = _gateway_usd(work.bytes_in, region) + wait
    function = price("CloudFront Functions, million", region).usd / 1e6
    return {
        TO_EDGE: _answer_usd(work, region) + _edge_usd(work, region) + function + gateway,
        TO_GATEWAY: (
            price("DynamoDB, million writes", region).usd / 1e6
            + _price_bytes(work.bytes_out, price("S3, GB to the internet", region).usd)
            + gateway
        ),
    }


def _answer_usd(work: PhotoWork, region: str) -> float:
    """Return USD for a request at the edge, the counter, and an answer."""
    return (
        price("CloudFront, ten thousand HTTPS requests", region).usd / 1e4
        + price("DynamoDB, million writes", region).usd / 1e6
        + _price_bytes(work.bytes_out, price("CloudFront, GB out, first 10 TB", region).usd)
    )


def _edge_usd(work: PhotoWork, region: str) -> float:
    return _price_bytes(work.bytes_in, price("CloudFront, GB to the origin", region).usd)


def _gateway_usd(bytes_in: float, region: str) -> float:
    metered = math.ceil(bytes_in / METERED_BYTES)
    return metered * price("HTTP API, million requests", region).usd / 1e6


def _lambda_usd(seconds: float, gibibytes: float, region: str) -> float:
    second = gibibytes * price("Lambda, GB-second", region).usd
    return seconds * second + price("Lambda, million requests", region).usd / 1e6


def _vcpu_second(machine: str, region: str) -> float:
    vcpu = price(f"{machine}, vCPU-hour", region).usd
    memory = price(f"{machine}, GiB-hour", region).usd
    return (vcpu + _GIBIBYTES_PER_VCPU * memory) / _HOUR


def _price_bytes(size: float, usd: float) -> float:
    return size / _GIGABYTE * usd
