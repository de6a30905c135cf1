"""What one photograph at the photo door costs by list prices: its decoding, and its way in.

Decoding is paid by the CPU time that it takes, on machines that are never idle; the way by
requests and bytes.
"""

from dataclasses import dataclass

from vitrine.costs.prices import price

_GIBIBYTES_PER_VCPU = 2
_LAMBDA_VCPU_GIBIBYTES = 1_769 / 1_024
"""Memory for which Lambda gives one virtual CPU. Source: AWS Lambda's documentation."""
_HOUR = 3_600
_GIGABYTE = 1e9


@dataclass(frozen=True, kw_only=True)
class PhotoWork:
    """What one photograph takes on average."""

    cpu_seconds: float
    """Of the door and the nginx in front of it."""
    bytes_in: float
    bytes_out: float


def decoding_usd(cpu_seconds: float, region: str) -> dict[str, float]:
    """Return USD for one photograph's decoding, by the way of paying."""
    return {
        "Fargate, on demand": cpu_seconds * _vcpu_second("Fargate x86_64", region),
        "Fargate Spot": cpu_seconds * _vcpu_second("Fargate Spot x86_64", region),
        "Lambda": (
            cpu_seconds * _LAMBDA_VCPU_GIBIBYTES * price("Lambda, GB-second", region).usd
            + price("Lambda, million requests", region).usd / 1e6
        ),
    }


def way_usd(work: PhotoWork, region: str) -> dict[str, float]:
    """Return USD for one photograph's requests and bytes, by the way that it comes in."""
    answer = (
        price("CloudFront, ten thousand HTTPS requests", region).usd / 1e4
        + price("DynamoDB, million writes", region).usd / 1e6
        + _gigabytes(work.bytes_out, price("CloudFront, GB out, first 10 TB", region).usd)
    )
    # A capacity unit of the balancer takes a gigabyte in an hour.
    balancer = price("Load balancer, capacity unit and hour", region).usd
    origin = price("CloudFront, GB to the origin", region).usd
    return {
        "in the body of a request": answer + _gigabytes(work.bytes_in, origin + balancer),
        "uploaded to S3": (
            answer
            + price("S3, thousand PUT", region).usd / 1e3
            + price("S3, thousand GET", region).usd / 1e3
        ),
    }


def _vcpu_second(machine: str, region: str) -> float:
    vcpu = price(f"{machine}, vCPU-hour", region).usd
    memory = price(f"{machine}, GiB-hour", region).usd
    return (vcpu + _GIBIBYTES_PER_VCPU * memory) / _HOUR


def _gigabytes(size: float, usd: float) -> float:
    return size / _GIGABYTE * usd
