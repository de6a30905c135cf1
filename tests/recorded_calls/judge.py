"""Least privilege by execution: what roles did while the tests ran, against what they may do.

The emulator enforces the deployed policies, so a right that is missing fails a test by itself. This
finds the opposite, rights that nothing used: each is taken away, or has its reason here.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

JUDGED = ("lambda.amazonaws.com", "ecs-tasks.amazonaws.com")
"""Only what runs our code: the emulator acts for the other services without their roles."""
OURS = re.compile(r"vitrine-[a-z]+-([a-z]+)-(\w+?)Role\w*-[0-9A-F]+")
_PHYSICAL = re.compile(
    r"-[0-9A-Fa-f]{12,}\b"
    r"|(?<=/CloudFront/)\w+"
    r"|(?<=/)(vitrine-[a-z]+-[a-z]+-)(?=\1)"
    r"|(?<=\bvitrine-)[a-z]+-(?=[a-z]+-)"
)
"""Parts of names that differ between two deployments of one role: numbers of resources and of
distributions, names of environments, also where one stands twice before a table's name."""


@dataclass(frozen=True)
class Reason:
    """Why roles may do what no test did; the three patterns are matched from their beginning."""

    role: str
    action: str
    resource: str
    reason: str


REASONS = (
    Reason(r"\w+/\w+Execution", "", "", "the agent of ECS starts containers and keeps their logs"),
    Reason("", "logs:", "", "the Lambda service writes the function's log itself"),
    Reason("", "xray:", "", "the Lambda service sends the function's traces itself"),
    Reason("", "sqs:", "", "the Lambda service polls the queue for the function"),
    Reason("", "s3:ListBucket$", "", "without it an absent object answers 403, not 404"),
    Reason("", "s3:AbortMultipartUpload", "", "an upload that failed leaves no parts behind"),
    Reason(
        "ingest/ConvertMasterLarge$",
        "s3:",
        "",
        "the code of ConvertMasterSmall with more memory, for masters larger than tests have",
    ),
    Reason(
        r"ingest/(Record|Withdraw)\w+$",
        "dynamodb:GetItem",
        ".*/vitrine-identify-Outcomes",
        "it is read when another outcome of the master came first",
    ),
    Reason(
        "ingest/RecordFailure$",
        "(dynamodb:PutItem|s3:GetObject$)",
        "",
        "only what failed for good comes here; the drill has such masters by chance",
    ),
    Reason(
        "ingest/RecordRejection$",
        "(dynamodb:GetItem|s3:(Get|Put)ObjectTagging)",
        "",
        "what was converted before its verification failed expires; libvips would have to err",
    ),
    Reason(
        "ingest/WithdrawImage$",
        "(s3:GetObject$|s3:GetObjectTagging|s3:ListBucketVersions|states:StartExecution)",
        "",
        "a withdrawal that meets another change of the identifier, or a new master, at that moment",
    ),
    Reason(
        r"(present|api)/(PublishObjects|UpdateCollections|AnswerRequest)$",
        "s3:(Get|Put)Object$",
        r".*/(texts|inside)/",
        "in the tests, objects whose pages have a text are published by their curators alone",
    ),
    Reason(
        "api/AnswerRequest$",
        r"s3:(GetObject(Version)?Tagging|PutObjectTagging)",
        "",
        "a master that its curator has tagged keeps its tags when it is copied onto itself",
    ),
    Reason(
        "deliver/ImageFunction$",
        "dynamodb:GetItem",
        "",
        "the rights are an image task's, which reads an item before it says that it is ready",
    ),
    Reason(
        "deliver/ImageFunction$",
        "s3:GetObject$",
        r".*/access/keys\.json",
        "read for restricted images, which the tests ask of an image task: the same code",
    ),
    Reason(
        "present/UpdateCollections$",
        "dynamodb:(BatchGetItem|Query)$",
        r".*identify-Identifiers",
        "objects of a source that names images of ours; the source of the tests names its own",
    ),
    Reason(
        "present/UpdateCollections$",
        "s3:GetObject$",
        r".*(-records\w+/objects|-site\w+/(embed|oembed))/",
        "objects that their source has changed; the source of the tests adds some",
    ),
    Reason(
        r"present/(UpdateGallery|UpdateSearch|WriteDumps)$",
        "s3:PutObject$",
        r".*/inside/omissions/",
        "an object is left out by its own damaged data; unit tests damage it, in every part",
    ),
    Reason(
        "present/UpdateGallery$",
        "s3:PutObject$",
        r".*/home/",
        "the first page in further languages; the tests' deployed site has one",
    ),
    Reason(
        "present/UpdateSearch$",
        "s3:PutObject$",
        r".*/(search|map)/\w\w$",
        "the page in further languages, likewise",
    ),
    Reason(
        "migrate/MigrateMaster$",
        "(dynamodb:PutItem|states:StartExecution)",
        "",
        "a master that is already here, and that no event reported, is started",
    ),
)


@dataclass
class Recorded:
    """What was read from the files of one or more emulators."""

    grants: set[tuple[str, str, str]] = field(default_factory=set)
    """Role, action and resource of all that roles may do."""
    used: set[tuple[str, str, str]] = field(default_factory=set)
    refused: set[tuple[str, str, str]] = field(default_factory=set)

    def unused(self) -> list[tuple[str, str, str]]:
        """Return what was granted, not used, and has no reason."""
        return sorted(item for item in self.grants - self.used if not _reason(item))


def read_calls(lines: Iterable[str]) -> Recorded:
    """Read the lines that the emulator's recorder wrote, of whatever deployment."""
    recorded = Recorded()
    for document in map(json.loads, lines):
        name = OURS.fullmatch(document["role"])
        if not name:
            continue
        role = f"{name[1]}/{name[2]}"
        if "grants" in document:
            if any(service in document["trust"] for service in JUDGED):
                recorded.grants |= _named(role, document["grants"])
        elif document["allowed_by"]:
            recorded.used |= _named(role, document["allowed_by"])
        else:
            recorded.refused.add((role, document["action"], document["resource"]))
    return recorded


def lines_of(folder: Path) -> Iterator[str]:
    """Yield the lines of all files of a folder."""
    for file in sorted(folder.glob("*.jsonl")):
        yield from file.read_text(encoding="utf-8").splitlines()


def _named(role: str, grants: list[list[str]]) -> set[tuple[str, str, str]]:
    """Return grants by names that are the same in every deployment."""
    return {(role, action, _PHYSICAL.sub("", resource)) for action, resource in grants}


def _reason(item: tuple[str, str, str]) -> str:
    return next(
        (
            reason.reason
            for reason in REASONS
            if all(
                re.match(pattern, text)
                for pattern, text in zip(
                    (reason.role, reason.action, reason.resource), item, strict=True
                )
            )
        ),
        "",
    )
