"""Every setting, once: name, type, unit (in the name), default, one line of what it does.

The stacks write them (`to_environment`), the processes read them (`from_environment`),
`docs/reference/settings.md` is generated from them.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Self

PREFIX = "VITRINE_"


def setting(doc: str, default: Any = MISSING) -> Any:
    """A field of a settings class: one line of documentation, and its default if it has one."""
    return field(default=default, metadata={"doc": doc})


class _Settings:
    """Reads and writes a frozen dataclass of str, int and float fields as environment variables."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Raises KeyError naming an absent required variable, ValueError for a bad number."""
        values: dict[str, Any] = {}
        for item in fields(cls):  # type: ignore[arg-type]
            variable = PREFIX + item.name.upper()
            if variable in environment:
                values[item.name] = _parse(variable, item.type, environment[variable])
            elif item.default is MISSING:
                raise KeyError(f"the setting {variable} is required: {item.metadata['doc']}")
        return cls(**values)

    def to_environment(self) -> dict[str, str]:
        """The variables that `from_environment` reads back."""
        return {
            PREFIX + item.name.upper(): str(getattr(self, item.name))
            for item in fields(self)  # type: ignore[arg-type]
        }


def _parse(variable: str, kind: Any, text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{variable} must be of type {kind.__name__}, not {text!r}") from None


@dataclass(frozen=True, kw_only=True)
class IngestSettings(_Settings):
    """What the Lambdas of the pipeline need."""

    masters_bucket: str = setting("Bucket that curators upload masters to.")
    access_masters_bucket: str = setting("Bucket of the pyramids we serve from.")
    records_bucket: str = setting("Bucket of the journal of identifiers.")
    identifiers_table: str = setting("DynamoDB table of identifiers.")
    outcomes_table: str = setting("DynamoDB table with the latest outcome per master.")
    state_machine_arn: str = setting("State machine that ingests one master.", "")
    withdrawal_machine_arn: str = setting(
        "State machine that withdraws the image of a deleted master.", ""
    )
    withdrawal_grace_seconds: int = setting(
        "How long after its master was deleted an image stays.", 86_400
    )
    execution_timeout_seconds: int = setting(
        "How long an ingest may take at all; then the reconciler starts it again.", 7_200
    )
    failures_queue_url: str = setting("Queue of failed executions' inputs, to be redriven.", "")
    event_bus: str = setting("EventBridge bus for ImagePublished and ImageRejected.", "default")
    recipe: str = setting("Name of the conversion recipe.", "standard")
    identifier_pattern: str = setting(
        "Regular expression over a master's key; its group `identifier` names the image, where "
        "the object's metadata do not.",
        r"(?:.*/)?(?P<identifier>[^/]+?)(?:\.[^./]+)?",
    )
    maximum_megapixels: int = setting("Larger masters are rejected from their header.", 2_000)
    maximum_master_mebibytes: int = setting("Larger master files are rejected.", 8_192)
    maximum_pages: int = setting("Masters with more pages are rejected.", 1_000)
    maximum_memory_mebibytes: int = setting(
        "Masters that need more to convert are rejected.", 8_192
    )
    maximum_disk_mebibytes: int = setting("Masters that need more scratch are rejected.", 10_240)
    large_memory_mebibytes: int = setting(
        "Masters that need more to convert take a task, where there are any.", 8_192
    )
    large_disk_mebibytes: int = setting(
        "Masters that need more scratch take a task, where there are any.", 10_240
    )
    giants_at_once: int = setting(
        "Tasks that convert at a time; 0: none, what the large Lambda cannot hold is rejected.", 0
    )
    giant_seconds: int = setting(
        "How long the conversion of one giant may take with all its tries.", 86_400
    )
    small_memory_mebibytes: int = setting(
        "Masters that need more to convert take the large Lambda.", 1_592
    )
    small_disk_mebibytes: int = setting(
        "Masters that need more scratch take the large Lambda.", 972
    )
    executions_at_once: int = setting(
        "Executions beyond which uploads wait in their queue; at most 1,000, 0: no limit.", 0
    )
    parallel_starts: int = setting("Batches of uploads that are worked on at the same time.", 2)
    uploads_queue_url: str = setting("Queue of uploads that wait to be started.", "")


@dataclass(frozen=True, kw_only=True)
class PresentSettings(_Settings):
    """What the Lambda that writes the gallery needs."""

    site_bucket: str = setting("Bucket of the page, the gallery list and manifests.")
    identifiers_table: str = setting("DynamoDB table of identifiers.")
    gallery_length: int = setting("Number of newest images the gallery shows.", 200)


@dataclass(frozen=True, kw_only=True)
class InvalidateSettings(_Settings):
    """What the Lambda that invalidates the edge needs."""

    distribution_id: str = setting(
        "CloudFront distribution; on one machine its cache is the edge nginx's."
    )


@dataclass(frozen=True, kw_only=True)
class DeliverSettings(_Settings):
    """What the three containers of the image task need."""

    access_masters_bucket: str = setting("Bucket of the pyramids we serve from.")
    identifiers_table: str = setting("DynamoDB table of identifiers.")
    public_base_url: str = setting(
        "Scheme and host that viewers use, no trailing slash; empty: the Host header decides.", ""
    )
    work_directory: str = setting(
        "Volume shared by the containers: sockets, cache, temporary files.", "/var/vitrine"
    )
    origin_address: str = setting(
        "Address that nginx listens on, by plain HTTP; empty: all, behind HTTPS.", ""
    )
    origin_port: int = setting("Port that nginx listens on.", 8080)
    iipsrv_processes: int = setting("iipsrv processes; one per core.", 2)
    cache_mebibytes: int = setting("Disk for access masters, MiB.", 15_360)
    identifier_ttl_seconds: int = setting("How long a looked-up identifier is trusted.", 30)
    access_master_ttl_seconds: int = setting(
        "How often an access master in use is compared with the store's.", 300
    )
    tile_metadata: str = setting(
        "What every tile carries: none, profile (sRGB), rights (also creator, copyright, licence).",
        "rights",
    )
    jpeg_renderer: str = setting(
        "Who renders JPEGs that are no tiles: measured (what measured best), iipsrv (all it can).",
        "measured",
    )
    maximum_output_pixels: int = setting("Largest derivative, width times height.", 25_000_000)
    large_renders_per_viewer: int = setting(
        "Different images of over 2 megapixels that are made for one viewer at once; 0: no limit.",
        2,
    )
    derivative_cache_mebibytes: int = setting(
        "Disk on which nginx keeps small derivatives that are no tiles, MiB; 0: none.", 1_024
    )
    rights_uri: str = setting(
        "Licence or rights statement that info.json names for every image; empty: none.", ""
    )
    browser_max_age_seconds: int = setting("max-age of image responses, for browsers.", 300)
    edge_max_age_seconds: int = setting(
        "s-maxage of image responses, for the edge, which is told when an image changes.",
        30 * 86_400,
    )
    shutdown_seconds: int = setting("Time to finish open requests after SIGTERM.", 60)
    log_level: str = setting("DEBUG, INFO, WARNING or ERROR.", "INFO")
