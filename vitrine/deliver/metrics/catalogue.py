"""The metrics of a gateway: name, type and meaning of each, declared once."""

from typing import Literal, NamedTuple

MetricType = Literal["counter", "gauge", "histogram"]


class Metric(NamedTuple):
    """One metric; a counter only grows, a gauge is what it is now."""

    type: MetricType
    help: str


PREFIX = "vitrine_"

CATALOGUE: dict[str, Metric] = {
    "answers_total": Metric("counter", "Answers by HTTP status, health checks included."),
    "answer_seconds": Metric(
        "histogram",
        "Time from a request's arrival at the gateway to its answer, by what was requested: tile, "
        "thumbnail (neither side above 512 pixels), render, info, or none of these (other). Tiles "
        "that are at hand are not timed: they count as less than a millisecond.",
    ),
    "event_loop_delay_seconds": Metric(
        "histogram", "How late the event loop is: what a tile that is at hand waits at worst."
    ),
    "tiles_total": Metric(
        "counter", "Answered tiles: passed through undecoded, or rendered like any other image."
    ),
    "block_reads_total": Metric(
        "counter", "Reads of access masters: from the block cache, or with a fetch from the store."
    ),
    "block_cache_bytes": Metric("gauge", "Disk that the block cache has taken."),
    "derivative_cache_total": Metric(
        "counter",
        "Small derivatives for which nginx was sent to its cache, and of them the missed.",
    ),
    "store_requests_total": Metric("counter", "Requests to the store of access masters (S3)."),
    "store_bytes_total": Metric("counter", "Bytes read from the store of access masters."),
    "store_retries_total": Metric("counter", "Requests to the store that were tried again."),
    "store_failures_total": Metric("counter", "Reads given up after all retries."),
    "damaged_reads_total": Metric(
        "counter",
        "Parts of access masters that were not as written, as the store sent them or on disk, and "
        "were fetched again.",
    ),
    "identifier_reads_total": Metric("counter", "Names read from the table of identifiers."),
    "identifier_queries_total": Metric("counter", "Requests to the table of identifiers."),
    "renders_total": Metric("counter", "Renders by renderer, lane and result."),
    "render_seconds_total": Metric("counter", "Time that renders took, their wait included."),
    "renders_running": Metric("gauge", "Renders under way, by lane."),
    "renders_waiting": Metric("gauge", "Renders that wait for their turn, by lane."),
    "renders_refused_total": Metric("counter", "Renders answered with 503 for lack of room."),
    "priced_requests_total": Metric(
        "counter",
        "Requests for image data by the lane of what they were estimated to cost: stored, cached, "
        "cheap, cold, large or download. A derivative that nginx did not have is in two.",
    ),
    "derivatives_requested_total": Metric(
        "counter",
        "Derivatives that were priced, by who asked as far as the edge knows: crawler, own or "
        "unknown.",
    ),
    "priced_core_seconds_total": Metric("counter", "CPU that renders were estimated to take."),
    "priced_bytes_total": Metric("counter", "Bytes that renders were estimated to need from S3."),
    "priced_dollars_total": Metric("counter", "List price of both in us-east-1, as estimated."),
    "downloads_total": Metric(
        "counter",
        "Downloads of whole images and objects by how they ended: done, abandoned by the client, "
        "failed, or refused since all slots were taken.",
    ),
    "downloads_running": Metric("gauge", "Downloads of whole images and objects under way."),
    "lane_wait_seconds": Metric("gauge", "Estimated wait for what a lane has under way."),
    "gave_way_total": Metric(
        "counter",
        "Requests that were refused under pressure, or unless under_pressure is refuse, would have "
        "been: first sizes of cold images that info.json does not list, second large ones of cold "
        "images, third large ones; and why: the wait, or one of the ceilings.",
    ),
    "ceilings_reached_total": Metric(
        "counter",
        "How often a ceiling of the settings was passed, and requests gave way for it: store-bytes "
        "and store-requests of a minute, renders of a day.",
    ),
    "faults_total": Metric(
        "counter", "What went wrong without ending the service, by event; the log says more."
    ),
    "unwritable_caches": Metric("gauge", "Caches whose disk cannot be written now."),
    "memory_bytes": Metric("gauge", "Resident memory of a gateway process."),
    "cpu_seconds_total": Metric("counter", "CPU of the programs of the image task."),
    "processes": Metric("gauge", "Gateway processes that are counted here."),
}
