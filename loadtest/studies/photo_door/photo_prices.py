"""What one photograph at the photo door costs by list prices: its decoding, and its way in.

Decoding is paid by the CPU time that it takes, on machines that are never idle; the way by
requests and bytes. Nothing is stored but what is uploaded, and thumbnails come in the answer.
"""

from dataclasses import dataclass

from vitrine.costs.prices import price

IN_BODY, UPLOADED = "in the body of a request", "uploaded to S3"
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
    edge = price("CloudFront, GB to the origin", region).usd
    answer = _answer_usd(work, region)
    return {
        IN_BODY: answer + _price_bytes(work.bytes_in, edge + balancer),
        UPLOADED: (
            answer
            + _form_usd(region)
            + price("S3, thousand PUT", region).usd / 1e3
            + price("S3, thousand GET", region).usd / 1e3
        ),
    }


def _answer_usd(work: PhotoWork, region: str) -> float:
    """Return USD for a request at the edge, the counter, and an answer."""
    return (
        price("CloudFront, ten thousand HTTPS requests", region).usd / 1e4
        + price("DynamoDB, million writes", region).usd / 1e6
        + _price_bytes(work.bytes_out, price("CloudFront, GB out, first 10 TB", region).usd)
    )


def _form_usd(region: str) -> float:
    request = price("HTTP API, million requests", region).usd / 1e6
    return request + _lambda_usd(FORM_SECONDS, FORM_GIBIBYTES, region)


def _lambda_usd(seconds: float, gibibytes: float, region: str) -> float:
    second = gibibytes * price("Lambda, GB-second", region).usd
    return seconds * second + price("Lambda, million requests", region).usd / 1e6


def _vcpu_second(machine: str, region: str) -> float:
    vcpu = price(f"{machine}, vCPU-hour", region).usd
    memory = price(f"{machine}, GiB-hour", region).usd
    return (vcpu + _GIBIBYTES_PER_VCPU * memory) / _HOUR


def _price_bytes(size: float, usd: float) -> float:
    return size / _GIGABYTE * usd
