"""Settings of the gallery, of what publishes objects and reads their pages, of dumps and visits."""

from dataclasses import dataclass

from vitrine.settings.declaration import Settings, setting


@dataclass(frozen=True, kw_only=True)
class PresentOptions(Settings):
    """What an operator may choose about the gallery."""

    gallery_length: int = setting(
        "Number of images, the newest ones, that the gallery shows.", 200, least=0
    )
    crawlers: str = setting(
        "What robots.txt says to crawlers: allow (all but tiles) or deny.",
        "allow",
        choices=("allow", "deny"),
    )


@dataclass(frozen=True, kw_only=True)
class PresentSettings(PresentOptions):
    """What the Lambda that writes the first page needs."""

    site_bucket: str = setting("Bucket of the page, the gallery list and manifests.", wiring=True)
    records_bucket: str = setting("Bucket of the journals and of images' metadata.", wiring=True)
    public_base_url: str = setting(
        "Scheme and host of the addresses in pages.", derived_from="domain_name"
    )
    identifiers_table: str = setting("DynamoDB table of identifiers.", wiring=True)
    catalogue_table: str = setting(
        "DynamoDB table of what objects show and collections list.", wiring=True
    )


@dataclass(frozen=True, kw_only=True)
class PublishSettings(Settings):
    """What the Lambda that publishes objects needs."""

    site_bucket: str = setting("Bucket of the page, the gallery list and manifests.", wiring=True)
    records_bucket: str = setting("Bucket of the journals and of images' metadata.", wiring=True)
    identifiers_table: str = setting("DynamoDB table of identifiers.", wiring=True)
    catalogue_table: str = setting(
        "DynamoDB table of what objects show and collections list.", wiring=True
    )
    event_bus: str = setting("EventBridge bus for ObjectChanged.", derived_from="event_bus")
    public_base_url: str = setting(
        "Scheme and host of the addresses in manifests.", derived_from="domain_name"
    )
    maximum_output_pixels: int = setting(
        "Largest derivative of the image service, in pixels.",
        derived_from="deliver.maximum_output_pixels",
    )
    downloads_at_once: int = setting(
        "Whole images that the image service sends at a time; with 0, no manifest leads to one.",
        derived_from="deliver.downloads_at_once, image_function",
    )
    rights_uri: str = setting(
        "URI of the rights of objects that name none.", derived_from="deliver.rights_uri"
    )
    crawlers: str = setting(
        "What robots.txt says to crawlers; `vitrine site publish` writes it.",
        derived_from="present.crawlers",
    )
    content_usage: str = setting(
        "Content-Usage of robots.txt, which `vitrine site publish` writes.",
        "",
        derived_from="deliver.content_usage",
    )
    ocr_languages: str = setting(
        "Languages in which the environment reads pages by OCR, joined by +; empty: it does not.",
        "",
        derived_from="ocr",
    )


@dataclass(frozen=True, kw_only=True)
class ApiSettings(PublishSettings):
    """What the Lambda of the API needs."""

    masters_bucket: str = setting("Bucket of the masters.", wiring=True)
    outcomes_table: str = setting("DynamoDB table of the masters' outcomes.", wiring=True)
    maximum_master_mebibytes: int = setting(
        "Largest master, in MiB.", derived_from="giant_converter, large_converter"
    )
    maximum_photo_mebibytes: int = setting(
        "Largest photograph that a signed form may allow, in MiB; 0: there is no photo door.",
        0,
        least=0,
        derived_from="photos",
    )
    departments: str = setting(
        "Departments, whose members change their own collections only, as JSON; empty: everyone "
        "changes everything.",
        "",
        derived_from="departments",
    )
    text_proposals_address: str = setting(
        "Address of a program that proposes alternative texts; empty: nobody proposes any.",
        "",
        derived_from="text_proposals",
    )


@dataclass(frozen=True, kw_only=True)
class SiteSettings(Settings):
    """What the Lambdas need that write the stream of changes, and the dumps."""

    site_bucket: str = setting("Bucket of the page, the gallery list and manifests.", wiring=True)
    public_base_url: str = setting(
        "Scheme and host of the addresses in manifests.", derived_from="domain_name"
    )


@dataclass(frozen=True, kw_only=True)
class StatisticsSettings(Settings):
    """What the Lambda needs that counts visits."""

    logs_bucket: str = setting("Bucket of the edge's access log.", wiring=True)
    logs_prefix: str = setting("Folder of the distribution's log in it.", wiring=True)
    records_bucket: str = setting("Bucket of the journals and of the days' figures.", wiring=True)
    catalogue_table: str = setting(
        "DynamoDB table of what objects show and collections list.", wiring=True
    )


@dataclass(frozen=True, kw_only=True)
class OcrOptions(Settings):
    """What an operator may choose about the texts that the environment reads by itself."""

    languages: str = setting(
        "Languages that Tesseract reads here, by its names for them, joined by +.", "eng"
    )
    memory_mebibytes: int = setting(
        "Memory of the Lambda; 1,769 MiB give one vCPU, and a page is read on one.",
        1_769,
        least=1_024,
        most=10_240,
    )
    at_once: int = setting("Most objects whose pages are read at a time.", 4, least=2, most=1_000)
    maximum_megapixels: int = setting(
        "Largest image of a page that is read; of a larger one, a smaller level is.",
        40,
        least=1,
        most=100,
    )


@dataclass(frozen=True, kw_only=True)
class OcrSettings(OcrOptions):
    """What the Lambda needs that reads pages by OCR."""

    records_bucket: str = setting("Bucket of the journals and of the texts of pages.", wiring=True)
    access_masters_bucket: str = setting("Bucket of the access masters.", wiring=True)
    identifiers_table: str = setting("DynamoDB table of identifiers.", wiring=True)
    event_bus: str = setting("EventBridge bus for TextsRead.", derived_from="event_bus")
