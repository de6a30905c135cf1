"""The environments: everything in which dev, staging and prod differ, and nothing else.

Account, region and availability zones are written out, so that no synth looks anything up.
To deploy into your own account, edit the three at the end of this file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stacks.sizes import ConverterSize, GiantConverter, ImageTaskSize
from vitrine.identify.identifier_rule import IdentifierRule
from vitrine.settings import DeliverOptions, IngestOptions, PresentOptions

Architecture = Literal["x86_64", "arm64"]
Action = Literal["count", "block"]
"""What a rule of the web ACL does with a request that it matches."""

UNRESERVED = 100
"""Concurrency that AWS keeps for functions that reserve none (Lambda, "Reserved concurrency")."""
LEAST_CACHE_MEBIBYTES = 1024
"""With less, the gateway would read the same blocks from S3 over and over."""
LAMBDA_MEGAPIXELS = 2_000
"""Larger masters are converted by a Fargate task or not at all."""
ROUNDS_IN_AN_HOUR = 4
"""Turns of a Lambda in an hour if each takes all of its 15 minutes."""
MOST_EXECUTIONS = 900
"""The starter counts running executions, and one page of ListExecutions has 1,000."""

_ORIGIN = r"(\*|'self'|https?://(\*\.)?[A-Za-z0-9.-]+(:([0-9]+|\*))?)"
_FRAME_ANCESTORS = re.compile(rf"'none'|{_ORIGIN}( {_ORIGIN})*")
"""Content Security Policy Level 3, section 6.4.2."""

PLACEHOLDER_ACCOUNT = "000000000000"
"""This is also the account of the one-machine emulator."""

CLOUDFRONT_PREFIX_LISTS: Mapping[str, str] = {
    "us-east-1": "pl-3b927c52",
    "us-west-2": "pl-82a045eb",
    "eu-west-1": "pl-4fa04526",
    "eu-west-2": "pl-93a247fa",
    "eu-central-1": "pl-a3a144ca",
}
"""Managed prefix list `com.amazonaws.global.cloudfront.origin-facing` by region; confirm with
`aws ec2 describe-managed-prefix-lists` before the first deployment to a region."""


@dataclass(frozen=True, kw_only=True)
class ExistingVpc:
    """An existing VPC. We add security groups to it, and nothing else.

    It needs an attached Internet gateway (CloudFront VPC origins do not work without one; no route
    to it is needed), and its subnets need a way to S3, DynamoDB, ECR and CloudWatch Logs.
    """

    vpc_id: str
    cidr: str
    subnet_ids: tuple[str, ...]
    """One for each availability zone of the environment, in that order."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """One deployment of Vitrine."""

    name: str
    account: str = PLACEHOLDER_ACCOUNT
    region: str
    availability_zones: tuple[str, ...]
    architecture: Architecture = "x86_64"

    ingest: IngestOptions = field(default_factory=IngestOptions)
    deliver: DeliverOptions = field(default_factory=DeliverOptions)
    present: PresentOptions = field(default_factory=PresentOptions)
    """Options of each stage's processes; `docs/reference/settings.md` explains them."""

    image_task: ImageTaskSize
    small_converter: ConverterSize
    """The Lambda that converts most masters."""
    large_converter: ConverterSize
    """The Lambda that converts what the small one has no room for."""
    giant_converter: GiantConverter | None = None
    """The task for what the large Lambda has no room or time for; None: that is rejected."""
    account_concurrency: int = 1_000
    """Quota of Lambdas that run at the same time; a new account may have less."""
    endpoint_zones: int
    """Number of availability zones in which there is an interface endpoint of each kind."""

    glacier_after_days: int
    """Age at which masters move to Glacier Instant Retrieval."""
    noncurrent_days: int
    """How long a replaced or deleted version of a master is kept."""
    reconcile_hours: int
    """Hours between walks of the reconciler over all masters; 36,000,000 take about two."""
    log_days: int
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    protected: bool
    """True: data and entry points outlive their stack; deleting them takes a second step."""

    vpc_cidr: str = "10.42.0.0/16"
    vpc: ExistingVpc | None = None
    cloudfront_prefix_list_id: str | None = None
    """None: the one in `CLOUDFRONT_PREFIX_LISTS`."""
    domain_name: str | None = None
    certificate_arn: str | None = None
    """A certificate for `domain_name`, in us-east-1."""
    permissions_boundary: str | None = None
    """ARN of a managed policy that bounds every role."""
    alarm_address: str | None = None
    """E-mail address that alarms are sent to."""
    rejection_address: str | None = None
    """E-mail address that gets a mail about every rejected master."""
    dashboard: bool = False
    """True: a dashboard in CloudWatch, for $3 a month unless it is the account's first to third."""
    event_bus: str = "default"
    """Name of the EventBridge bus for our events; any but `default` must exist already."""
    requests_per_address: int = 20_000
    """Requests from one address in five minutes, beyond which the rate rule acts."""
    rate_rule_action: Action = "count"
    managed_rules_action: Action = "count"
    """What AWS's managed rule groups do: known attackers, known attacks."""
    bot_control: bool = False
    """True: AWS's rules about bots, for $10 a month and $1 per million requests."""
    frame_ancestors: str = "'self'"
    """Sites whose pages may show ours in a frame, as the directive of Content-Security-Policy of
    that name has them: 'self', 'none', *, or origins such as https://www.example.org."""
    blocked_countries: tuple[str, ...] = ()
    """Two-letter codes (ISO 3166) of countries that get 403."""
    origin_shield: bool = False
    """True: one more cache between all edge locations and the image service, so that fewer misses
    reach it; each request to it is charged. Not in every region: see CloudFront's documentation."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tags of your own on every resource, next to app, env and cost-center."""

    def __post_init__(self) -> None:
        """Raise ValueError, with a sentence, for values that no deployment survives."""
        IdentifierRule(self.ingest.identifier_pattern)
        if not _FRAME_ANCESTORS.fullmatch(self.frame_ancestors):
            raise ValueError(
                "frame_ancestors must be 'none' (with the quotes), or some of 'self', * and "
                f"origins such as https://www.example.org, with a space between; not "
                f"{self.frame_ancestors!r}"
            )
        if bool(self.domain_name) != bool(self.certificate_arn):
            raise ValueError("domain_name and certificate_arn go together")
        if len(self.availability_zones) < 2:
            raise ValueError("an application load balancer needs two availability zones")
        if self.vpc and len(self.vpc.subnet_ids) != len(self.availability_zones):
            raise ValueError("an existing VPC needs one subnet per availability zone")
        if self.cache_mebibytes < LEAST_CACHE_MEBIBYTES:
            raise ValueError(
                f"image_task.disk_gibibytes={self.image_task.disk_gibibytes} leaves "
                f"{self.cache_mebibytes:,} MiB for access masters next to the derivative cache; "
                f"give the task more disk, at least {LEAST_CACHE_MEBIBYTES:,} MiB must be left"
            )
        if self.giant_converter is None and self.ingest.maximum_megapixels > LAMBDA_MEGAPIXELS:
            raise ValueError(
                f"maximum_megapixels={self.ingest.maximum_megapixels:,} needs a giant_converter: "
                f"a Lambda cannot convert more than {LAMBDA_MEGAPIXELS:,} in its time"
            )
        reserved = self.small_converter.at_once + self.large_converter.at_once
        if reserved + UNRESERVED > self.account_concurrency:
            raise ValueError(
                f"{reserved} reserved Lambdas leave no {UNRESERVED} of the account's "
                f"{self.account_concurrency} for all other functions, as AWS demands"
            )

    @property
    def cache_mebibytes(self) -> int:
        """Disk of an image task that the gateway may fill with access masters."""
        return self.image_task.usable_disk_mebibytes - self.deliver.derivative_cache_mebibytes

    @property
    def executions_at_once(self) -> int:
        """Number of executions at which, even if all wait for the same converter and each takes its
        full time, the last one's turn comes within the hour that a throttled step outlasts."""
        fewest = min(self.small_converter.at_once, self.large_converter.at_once)
        return min(ROUNDS_IN_AN_HOUR * fewest, MOST_EXECUTIONS)

    @property
    def migrations_at_once(self) -> int:
        """Number of migrated masters at which none is throttled, even if all need one converter."""
        return min(self.small_converter.at_once, self.large_converter.at_once)

    @property
    def public_base_url(self) -> str:
        """Scheme and host that viewers use; empty: the Host header decides."""
        return f"https://{self.domain_name}" if self.domain_name else ""

    @property
    def prefix_list_id(self) -> str:
        """Prefix list of the addresses from which CloudFront reaches origins.

        Raises KeyError for a region that `CLOUDFRONT_PREFIX_LISTS` does not have.
        """
        return self.cloudfront_prefix_list_id or CLOUDFRONT_PREFIX_LISTS[self.region]


DEV = Environment(
    name="dev",
    region="us-east-1",
    availability_zones=("us-east-1a", "us-east-1b"),
    ingest=IngestOptions(withdrawal_grace_seconds=10, maximum_megapixels=10_000),
    image_task=ImageTaskSize(
        cpu_units=512, memory_mebibytes=2048, disk_gibibytes=20, minimum=1, maximum=2
    ),
    small_converter=ConverterSize(memory_mebibytes=1769, disk_mebibytes=1024, at_once=50),
    large_converter=ConverterSize(memory_mebibytes=3008, disk_mebibytes=4096, at_once=25),
    giant_converter=GiantConverter(
        cpu_units=1024,
        memory_mebibytes=8192,
        disk_gibibytes=50,
        at_once=2,
    ),
    endpoint_zones=1,
    glacier_after_days=30,
    noncurrent_days=90,
    reconcile_hours=1,
    log_days=14,
    log_level="DEBUG",
    protected=False,
)

STAGING = Environment(
    name="staging",
    region="eu-west-1",
    availability_zones=("eu-west-1a", "eu-west-1b"),
    ingest=IngestOptions(withdrawal_grace_seconds=3_600, maximum_megapixels=20_000),
    image_task=ImageTaskSize(
        cpu_units=1024, memory_mebibytes=4096, disk_gibibytes=40, minimum=1, maximum=4
    ),
    small_converter=ConverterSize(memory_mebibytes=1769, disk_mebibytes=1024, at_once=50),
    large_converter=ConverterSize(memory_mebibytes=8192, disk_mebibytes=10_240, at_once=25),
    giant_converter=GiantConverter(
        cpu_units=2048,
        memory_mebibytes=8192,
        disk_gibibytes=100,
        at_once=2,
    ),
    endpoint_zones=1,
    glacier_after_days=30,
    noncurrent_days=90,
    reconcile_hours=24,
    log_days=30,
    protected=False,
)

PROD = Environment(
    name="prod",
    region="eu-west-1",
    availability_zones=("eu-west-1a", "eu-west-1b"),
    ingest=IngestOptions(
        withdrawal_grace_seconds=86_400, maximum_megapixels=50_000, parallel_starts=5
    ),
    image_task=ImageTaskSize(
        # ADR 0015: what the simulator recommends for a museum and for a union portal, doubled.
        cpu_units=1024,
        memory_mebibytes=4096,
        disk_gibibytes=100,
        minimum=2,
        maximum=12,
        spot_share_percent=50,
    ),
    small_converter=ConverterSize(memory_mebibytes=1769, disk_mebibytes=1024, at_once=400),
    large_converter=ConverterSize(memory_mebibytes=8192, disk_mebibytes=10_240, at_once=200),
    giant_converter=GiantConverter(
        cpu_units=4096,
        memory_mebibytes=16_384,
        disk_gibibytes=200,
        at_once=4,
    ),
    endpoint_zones=2,
    glacier_after_days=30,
    noncurrent_days=365,
    reconcile_hours=24,
    log_days=90,
    protected=True,
    origin_shield=True,
)

ENVIRONMENTS: Mapping[str, Environment] = {
    environment.name: environment for environment in (DEV, STAGING, PROD)
}
