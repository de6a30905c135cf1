"""Settings of the image service."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from vitrine.settings.declaration import DAY, Settings, setting

# How long each waits for an answer: CloudFront, balancer, nginx, gateway, iipsrv. Each waits
# longer than who is behind it, so that the error of who knows the reason arrives, and nobody works
# for viewers who were already answered. `containers/nginx/start` has the same sums for nginx.
ANSWER_SECONDS = 60
"""Longest time in which the gateway makes an answer: 25 s for a turn, 20 s in a pool, and what it
takes to render."""
NGINX_SECONDS = ANSWER_SECONDS + 5
"""Longest time in which nginx hears nothing of the gateway."""
CONNECT_SECONDS = 5
"""nginx's, for a connection to the gateway."""
RETRY_SECONDS = 30
"""In which nginx asks a second process of the gateway if the first one dies."""
BALANCER_SECONDS = RETRY_SECONDS + CONNECT_SECONDS + NGINX_SECONDS + 5
"""Also how long a connection to nginx may be idle: nginx keeps it for longer."""
EDGE_SECONDS = BALANCER_SECONDS + 5
"""CloudFront allows 120 at most ("Response timeout")."""


@dataclass(frozen=True, kw_only=True)
class DeliverOptions(Settings):
    """What an operator may choose about the image service."""

    rights_uri: str = setting(
        "URI of the licence or rights statement that info.json names for every image; empty: "
        "info.json names none.",
        "",
    )
    tile_metadata: str = setting(
        "Metadata in every tile: none, profile (sRGB), rights (also creator, licence and such).",
        "rights",
        choices=("none", "profile", "rights"),
    )
    maximum_output_pixels: int = setting(
        "Largest derivative, in pixels (width times height).", 25_000_000, least=1
    )
    derivative_cache_mebibytes: int = setting(
        "Memory in which nginx keeps derivatives, in MiB; half of it is for those of more than "
        "500,000 pixels. With 0 it keeps none.",
        128,
        least=0,
    )
    tile_cache_mebibytes: int = setting(
        "Memory in which nginx keeps answers whose addresses were requested twice within "
        "identifier_ttl_seconds, in MiB. With 0 it keeps none.",
        256,
        least=0,
    )
    browser_max_age_seconds: int = setting(
        "max-age of image responses, for browsers.", 300, least=0
    )
    edge_max_age_seconds: int = setting(
        "s-maxage of image responses, for the edge, which is notified when an image changes.",
        30 * DAY,
        least=0,
        # Half of what CloudFront's policy allows, less what it may serve stale.
        most=180 * DAY,
    )
    identifier_ttl_seconds: int = setting(
        "How long the gateway trusts the record of an identifier before it reads it again.",
        30,
        least=0,
        # Messages to the invalidator are delayed by it and 15 s; SQS delays by 900 s at most.
        most=885,
    )
    access_master_ttl_seconds: int = setting(
        "How long the gateway trusts its copy of an access master before it compares it with the "
        "store's.",
        300,
        least=0,
    )
    downloads_at_once: int = setting(
        "Whole images at full resolution, and whole objects, that a gateway process sends at a "
        "time, each from a few MiB of memory. With 0 nobody gets more than maximum_output_pixels.",
        16,
        least=0,
    )
    under_pressure: str = setting(
        "What happens to the most expensive requests while more is requested than the machine can "
        "do (first sizes of cold images that info.json does not list, then large images): count, "
        "refuse (503).",
        "count",
        choices=("count", "refuse"),
    )
    own_sites: str = setting(
        "Host names of the institution's own pages, with commas: requests from there, or from a "
        "name below one of them, give way later than others under pressure. Empty: only those "
        "of the service itself.",
        "",
    )
    robots_tag: str = setting(
        "X-Robots-Tag of every answer, such as noai or noimageai; empty: there is no such header.",
        "",
    )
    content_usage: str = setting(
        "Content-Usage of every answer, and of robots.txt (IETF AIPREF), such as train-ai=n: what "
        "automated systems may use it for. Empty: there is no such header.",
        "",
    )
    tdm_reservation: str = setting(
        "tdm-reservation of every answer (W3C TDM Reservation Protocol): 1 reserves the rights of "
        "text and data mining, 0 does not. Empty: there is no such header.",
        "",
        choices=("", "0", "1"),
    )
    tdm_policy: str = setting(
        "tdm-policy of every answer with tdm-reservation: the address of the policy that says how "
        "to get a licence. Empty: there is no such header.",
        "",
    )
    store_mebibytes_a_minute: int = setting(
        "Ceiling of what a task reads from S3 in a minute, in MiB: from half of it on, requests "
        "give way as under_pressure says and in the same order, but tiles and the sizes of "
        "info.json never. With 0 there is no ceiling.",
        0,
        least=0,
    )
    store_requests_a_minute: int = setting(
        "The same for requests to S3.",
        0,
        least=0,
    )
    renders_a_day: int = setting(
        "The same for what a task renders in a day of UTC.",
        0,
        least=0,
    )
    shutdown_seconds: int = setting(
        "Time to finish open requests after SIGTERM.",
        60,
        least=0,
        # ECS kills a container after 120 s.
        most=110,
    )

    drain_seconds: int = setting(
        "How long nginx goes on answering after SIGTERM, before it finishes: Fargate Spot tells a "
        "task to stop while the load balancer still sends it requests.",
        15,
        least=0,
        # With `shutdown_seconds` of nginx, of the 120 s that Spot gives the whole task.
        most=45,
    )

    def __post_init__(self) -> None:
        """Raise ValueError, with a sentence, for a value that the gateway cannot work with."""
        super().__post_init__()
        if self.rights_uri and not _is_web_address(self.rights_uri):
            raise ValueError(
                "rights_uri must be the http or https URI of a licence or rights statement, such "
                f"as http://creativecommons.org/publicdomain/zero/1.0/, not {self.rights_uri!r}"
            )
        for name in ("robots_tag", "content_usage", "tdm_policy"):
            if not _is_header_value(getattr(self, name)):
                raise ValueError(
                    f"{name} goes into a header, so it must be printable ASCII without spaces at "
                    f"its ends, not {getattr(self, name)!r}"
                )
        if self.tdm_policy and not self.tdm_reservation:
            raise ValueError("tdm_policy needs tdm_reservation, which says what it is a policy of")


def _is_header_value(text: str) -> bool:
    return text.isascii() and text.isprintable() and text == text.strip()


def _is_web_address(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and text.split() == [text]


@dataclass(frozen=True, kw_only=True)
class DeliverSettings(DeliverOptions):
    """What the three containers of the image task need."""

    access_masters_bucket: str = setting("Bucket of the pyramids that we serve from.", wiring=True)
    site_bucket: str = setting("Bucket of the page, the gallery list and manifests.", wiring=True)
    identifiers_table: str = setting("DynamoDB table of identifiers.", wiring=True)
    records_bucket: str = setting("Bucket with the keys of tickets.", "", wiring=True)
    public_base_url: str = setting(
        "Scheme and host that viewers use, without a slash at the end; empty: the Host header "
        "decides.",
        "",
        derived_from="domain_name",
    )
    work_directory: str = setting(
        "Volume shared by the containers, for sockets, the cache and temporary files.",
        "/var/vitrine",
        wiring=True,
    )
    memory_directory: str = setting(
        "Folder in memory (tmpfs) of nginx alone, for the finished answers that it keeps.",
        "/var/vitrine-memory",
        wiring=True,
    )
    answer_seconds: int = setting(
        "Longest time in which the gateway makes an answer; then it says 503.",
        ANSWER_SECONDS,
        least=1,
        wiring=True,
    )
    origin_address: str = setting(
        "Address on which nginx listens for plain HTTP; empty: all addresses, behind HTTPS.",
        "",
        wiring=True,
    )
    origin_port: int = setting("Port on which nginx listens.", 8080, wiring=True)
    environment_name: str = setting(
        "Name of the environment, which every metric of the gateway carries.", "", wiring=True
    )
    gateway_processes: int = setting(
        "Number of gateway processes. nginx sends each image to one of them, and to the next while "
        "that one is replaced; they divide the disk for access masters.",
        2,
        least=1,
        derived_from="image_task",
    )
    render_cores: int = setting(
        "Cores for which the gateway's pools of renders are sized.",
        2,
        least=1,
        derived_from="image_task",
    )
    iipsrv_processes: int = setting(
        "Number of iipsrv processes; each renders on one core.",
        2,
        least=1,
        derived_from="image_task",
    )
    iipsrv_memory_mebibytes: int = setting(
        "Address space of an iipsrv process, in MiB: what needs more is answered with 503.",
        768,
        least=128,
        derived_from="image_task",
    )
    cache_mebibytes: int = setting(
        "Disk for access masters, in MiB.",
        15_360,
        derived_from="image_task",
    )
    photo_queue: int = setting(
        "Photographs that nginx lets in at a time for the photo door; 0: there is no door.",
        0,
        least=0,
        derived_from="photos",
    )
    maximum_photo_mebibytes: int = setting(
        "Largest photograph in the body of a request, in MiB.",
        32,
        least=1,
        derived_from="photos",
    )
    log_level: str = setting(
        "DEBUG, INFO, WARNING or ERROR.",
        "INFO",
        choices=("DEBUG", "INFO", "WARNING", "ERROR"),
        derived_from="log_level",
    )
