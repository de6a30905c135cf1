"""What an environment has: everything in which two of them may differ, and nothing else.

Account, region and availability zones are written out, so that no synth looks anything up.
`stacks/designs.py` has the environments that come with Vitrine; `environments.toml` says what is
your own about them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from stacks.copies import Backup, Replica
from stacks.sizes import (
    ConverterSize,
    GiantConverter,
    ImageFunctionSize,
    ImageTaskSize,
    PhotoFunctionSize,
)
from vitrine.deliver.answer.kept_answers import memory_mebibytes
from vitrine.settings.deliver import DeliverOptions
from vitrine.settings.departments import Department
from vitrine.settings.edge import AccessOptions
from vitrine.settings.ingest import IngestOptions
from vitrine.settings.photos import PhotoOptions
from vitrine.settings.present import OcrOptions, PresentOptions

Architecture = Literal["x86_64", "arm64"]
Action = Literal["count", "block"]
"""Action of a rule of the web ACL on a request that it matches."""

PLACEHOLDER_ACCOUNT = "000000000000"
"""This is also the account of the one-machine emulator; nobody deploys to it."""
CLOUDFRONT_PREFIX_LISTS: Mapping[str, str] = {
    "ap-northeast-1": "pl-58a04531",
    "ap-northeast-2": "pl-22a6434b",
    "ap-south-1": "pl-9aa247f3",
    "ap-southeast-1": "pl-31a34658",
    "ap-southeast-2": "pl-b8a742d1",
    "ca-central-1": "pl-38a64351",
    "eu-central-1": "pl-a3a144ca",
    "eu-north-1": "pl-fab65393",
    "eu-west-1": "pl-4fa04526",
    "eu-west-2": "pl-93a247fa",
    "eu-west-3": "pl-75b1541c",
    "sa-east-1": "pl-5da64334",
    "us-east-1": "pl-3b927c52",
    "us-east-2": "pl-b6a144df",
    "us-west-1": "pl-4ea04527",
    "us-west-2": "pl-82a045eb",
}
"""Managed prefix list `com.amazonaws.global.cloudfront.origin-facing` by region, as public projects
have them; `vitrine deploy check` asks your account for its own."""


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
class Api:
    """The API for programs: who may call it, and how often."""

    access: Literal["iam", "jwt"] = "iam"
    """`iam`: a signature of a role or user that may `execute-api:Invoke` it. `jwt`: a token of
    `issuer` for `audience`."""
    issuer: str = ""
    """Issuer of tokens: the https address below which `.well-known/openid-configuration` is."""
    audience: tuple[str, ...] = ()
    """Audiences of tokens, in their claim `aud` or `client_id`."""
    read_scope: str = "vitrine/read"
    """Scope that a token needs for GET."""
    write_scope: str = "vitrine/write"
    """Scope that a token needs for everything else."""
    requests_per_second: int = 20
    """Beyond which the gateway answers 429; twice as many may come at once."""


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The desk, at `/desk/` of the edge: who publishes by it signs in at the API's issuer."""

    client: str = ""
    """Name by which the issuer knows the desk, a public client; empty on one machine, where nobody
    signs in."""
    sign_in_origins: tuple[str, ...] = ()
    """Origins, next to that of `issuer`, of the addresses that its OpenID configuration names, such
    as https://museum.auth.eu-west-1.amazoncognito.com."""


@dataclass(frozen=True, kw_only=True)
class EnvironmentValues:
    """The values of one environment, checked by nobody yet."""

    name: str
    account: str = PLACEHOLDER_ACCOUNT
    region: str
    zone_letters: tuple[str, ...] = ("a", "b")
    """The region's availability zones to use, as your account names them: two at least."""
    architecture: Architecture = "x86_64"
    """Architecture of Lambdas and tasks; arm64 (Graviton) costs a fifth less by the hour."""

    ingest: IngestOptions = field(default_factory=IngestOptions)
    deliver: DeliverOptions = field(default_factory=DeliverOptions)
    present: PresentOptions = field(default_factory=PresentOptions)
    """Options of each stage's processes; `docs/reference/settings.md` explains them."""

    image_task: ImageTaskSize
    image_function: ImageFunctionSize | None = None
    """The Lambda that serves images in the place of image tasks; None: tasks serve them."""
    small_converter: ConverterSize
    """The Lambda that converts most masters."""
    large_converter: ConverterSize
    """The Lambda that converts what the small one has no room for."""
    giant_converter: GiantConverter | None = None
    """The task for what the large Lambda has no room or time for; None: that is rejected."""
    admit_at_once: int | None = 20
    """Lambdas reserved for the services of access, where they are offered; None: none are.

    More people do not sign in within the same tenth of a second."""
    account_concurrency: int = 1_000
    """Quota of Lambdas that run at the same time; a new account may have less."""
    endpoint_zones: int
    """Number of availability zones in which there is an interface endpoint of each kind."""

    glacier_after_days: int
    """Age at which masters move to Glacier Instant Retrieval."""
    noncurrent_days: int
    """Days for which a replaced or deleted version of a master is kept."""
    replica: Replica | None = None
    """Copies of masters and records in a second region; None: the versions of one region."""
    backup: Backup | None = None
    """Daily backups by AWS Backup; None: there is the journal, and DynamoDB's own recovery."""
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
    balancer_certificate_arn: str | None = None
    """A certificate for `domain_name`, in the environment's region, by which CloudFront speaks TLS
    to the load balancer of image tasks; None: HTTP, through AWS's network and your VPC."""
    hosted_zone_id: str | None = None
    """The Route 53 zone that `domain_name` is entered into; None: you enter the record yourself."""
    github_repository: str | None = None
    """The repository whose workflow deploys, such as museum/vitrine (`stacks/delivery.py`)."""
    github_provider_arn: str | None = None
    """GitHub's identity provider in the account, which can have one only; None: it gets one."""
    key_arn: str | None = None
    """A KMS key of yours, in the environment's region, for buckets, tables, queues and topics there
    (docs/howto/use-your-own-key.md); None: keys of AWS's."""
    permissions_boundary: str | None = None
    """ARN of a managed policy that bounds every role."""
    alarm_address: str | None = None
    """E-mail address that alarms are sent to."""
    rejection_address: str | None = None
    """E-mail address that gets a mail about every rejected master."""
    monthly_budget_dollars: int = 400
    """Dollars that a month may cost: a mail to `alarm_address`, if there is one, comes when 80 % of
    it are spent, and when AWS forecasts more. 0: no budget."""
    dashboard: bool = True
    """True: a dashboard in CloudWatch, for $3 a month unless it is the account's first to third."""
    event_bus: str = "default"
    """Name of the EventBridge bus for our events; any but `default` must exist already."""
    requests_per_address: int = 20_000
    """Requests from one address in five minutes, beyond which the rate rule acts."""
    rate_rule_action: Action = "count"
    managed_rules_action: Action = "count"
    """Action of AWS's managed rule groups: known attackers, known attacks."""
    bot_control: bool = False
    """True: AWS's rules about bots, for $10 a month and $1 per million requests."""
    frame_ancestors: str = "'self'"
    """Sites whose pages may show ours in a frame, as the directive of Content-Security-Policy of
    that name has them: 'self', 'none', *, or origins such as https://www.example.org."""
    blocked_countries: tuple[str, ...] = ()
    """Two-letter codes (ISO 3166) of countries that get 403."""
    web_acl: bool = True
    """False: no firewall at the edge, for $9 a month less."""
    edge_metrics: bool = True
    """False: without CloudFront's additional metrics, for $2.40 a month less."""
    origin_shield: bool = False
    """True: one more cache between all edge locations and the image service, so that fewer misses
    reach it; each request to it is charged. Not in every region: see CloudFront's documentation."""
    api: Api | None = None
    """The API for programs; None: only commands change anything."""
    desk: Desk | None = None
    """The desk in the browser, for people of the API's issuer; None: there are commands and the
    API."""
    text_proposals: str | None = None
    """Address of a program of yours that proposes alternative texts for images, which the API asks
    (docs/howto/propose-texts.md); None: nobody proposes any."""
    departments: Mapping[str, Department] = field(default_factory=dict)
    """Departments by their names: each has collections and people of its own. Without any, anyone
    who may write may change everything."""
    photos: PhotoOptions | None = None
    """The photo door, which takes photographs at `/photos` of the edge; None: it is closed."""
    photo_function: PhotoFunctionSize | None = None
    """The Lambda that is the photo door, in the place of a process in each image task; None: tasks
    take photographs. It takes at most 4 MiB in a request, and larger ones as uploads."""
    access: AccessOptions | None = None
    """Restricted images, and the services at `/auth/` that let people in; None: every image is as
    open as its rule says, and nobody can sign in."""
    ocr: OcrOptions | None = None
    """The Lambda that reads the text of pages, of objects that say in which languages; None: their
    texts are those that come with them."""
    mcp: bool = False
    """True: at `/mcp` of the edge, programs that speak the Model Context Protocol search, read and
    look at images for people (docs/howto/let-agents-look.md). It needs `domain_name`."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tags of your own on every resource, next to app, env and cost-center."""

    first_deployment: bool = False
    """True: nothing is protected from deletion yet, so that CloudFormation can undo a first
    deployment that failed, and it can be repeated. The next deployment protects."""

    @property
    def cache_mebibytes(self) -> int:
        """Disk of an image task that the gateway may fill with access masters."""
        return self.image_task.usable_disk_mebibytes

    @property
    def answer_memory_mebibytes(self) -> int:
        """Most memory of an image task that nginx fills with finished answers."""
        return memory_mebibytes(
            self.deliver.derivative_cache_mebibytes,
            self.deliver.tile_cache_mebibytes,
            workers=self.image_task.gateway_processes,
        )

    @property
    def has_prefix_list(self) -> bool:
        """True if it is known from which addresses CloudFront reaches origins in this region."""
        return bool(self.cloudfront_prefix_list_id) or self.region in CLOUDFRONT_PREFIX_LISTS

    @property
    def prefix_list_id(self) -> str:
        """Prefix list of the addresses from which CloudFront reaches origins."""
        return self.cloudfront_prefix_list_id or CLOUDFRONT_PREFIX_LISTS[self.region]
