"""Settings of the pipeline."""

from dataclasses import dataclass

from vitrine.settings.declaration import DAY, Settings, setting


@dataclass(frozen=True, kw_only=True)
class IngestOptions(Settings):
    """What an operator may choose about the pipeline."""

    recipe: str = setting(
        "Name of the conversion recipe: standard (faithful on every level), light (larger tiles, "
        "and fewer bytes below full resolution), tiffsave (plain libvips).",
        "standard",
        choices=("standard", "light", "tiffsave"),
    )
    identifier_pattern: str = setting(
        "Regular expression over a master's key; its group `identifier` names the image unless "
        "the object's metadata does. `(?P<identifier>.+)\\.tiff?` takes the whole path.",
        r"(?:.*/)?(?P<identifier>[^/]+?)(?:\.[^./]+)?",
    )
    withdrawal_grace_seconds: int = setting(
        "How long an image stays after its master was deleted. If the master is restored before "
        "that, nothing happens to the image.",
        DAY,
        least=0,
        most=30 * DAY,
    )
    maximum_megapixels: int = setting(
        "Masters with more pixels are rejected once their header has been read.", 2_000, least=1
    )
    maximum_pages: int = setting("Masters with more pages are rejected.", 1_000, least=1)
    parallel_starts: int = setting(
        "Batches of uploads that the starter works on at the same time.", 2, least=2, most=1_000
    )


@dataclass(frozen=True, kw_only=True)
class IngestSettings(IngestOptions):
    """What the Lambdas of the pipeline need."""

    masters_bucket: str = setting("Bucket that curators upload masters to.", wiring=True)
    access_masters_bucket: str = setting("Bucket of the pyramids that we serve from.", wiring=True)
    records_bucket: str = setting("Bucket of the journal of identifiers.", wiring=True)
    identifiers_table: str = setting("DynamoDB table of identifiers.", wiring=True)
    outcomes_table: str = setting(
        "DynamoDB table with the latest outcome of each master.", wiring=True
    )
    state_machine_arn: str = setting("State machine that ingests one master.", "", wiring=True)
    withdrawal_machine_arn: str = setting(
        "State machine that withdraws the image of a deleted master.", "", wiring=True
    )
    execution_timeout_seconds: int = setting(
        "How long one ingest may take; then the reconciler starts it again.", 7_200, wiring=True
    )
    uploads_queue_url: str = setting("Queue of uploads that wait to be started.", "", wiring=True)
    notifications_queue_url: str = setting(
        "Queue of what S3 itself reports about masters.", "", wiring=True
    )
    failures_queue_url: str = setting(
        "Queue of the inputs of failed executions, from which they can be redriven.",
        "",
        wiring=True,
    )
    event_bus: str = setting(
        "EventBridge bus for ImagePublished and ImageRejected.", "default", derived_from="event_bus"
    )
    maximum_master_mebibytes: int = setting(
        "Larger master files are rejected.", 8_192, derived_from="giant_converter, large_converter"
    )
    maximum_memory_mebibytes: int = setting(
        "Masters that need more memory to be converted are rejected.",
        8_192,
        derived_from="giant_converter, large_converter",
    )
    maximum_disk_mebibytes: int = setting(
        "Masters that need more disk to be converted are rejected.",
        10_240,
        derived_from="giant_converter, large_converter",
    )
    converter_memory_mebibytes: int = setting(
        "Masters that need more memory are converted by the next larger converter, if there is "
        "one: the large Lambda after the small one, then a Fargate task.",
        8_192,
        wiring=True,
    )
    converter_disk_mebibytes: int = setting(
        "The same, for masters that need more disk.",
        10_240,
        wiring=True,
    )
    giants_at_once: int = setting(
        "Fargate tasks that convert masters at the same time. With 0, masters that the large "
        "Lambda cannot hold are rejected.",
        0,
        derived_from="giant_converter",
    )
    switch_seconds: int = setting(
        "How long after its publication a new version takes the place of the one before it, "
        "everywhere at once: gateways know of it and the edge has forgotten the old one by then.",
        0,
        least=0,
        derived_from="deliver.identifier_ttl_seconds",
    )
    giant_seconds: int = setting(
        "How long the conversion of one giant may take, all its tries together.", DAY, wiring=True
    )
    executions_at_once: int = setting(
        "When this many executions are running, uploads wait in their queue; at most 1,000. "
        "0 sets no limit.",
        0,
        least=0,
        most=1_000,
        derived_from="small_converter, large_converter",
    )
