"""Settings of the gallery."""

from dataclasses import dataclass

from vitrine.settings.declaration import Settings, setting


@dataclass(frozen=True, kw_only=True)
class PresentOptions(Settings):
    """What an operator may choose about the gallery."""

    gallery_length: int = setting(
        "Number of images, the newest ones, that the gallery shows.", 200, least=0
    )


@dataclass(frozen=True, kw_only=True)
class PresentSettings(PresentOptions):
    """What the Lambda that writes the gallery needs."""

    site_bucket: str = setting("Bucket of the page, the gallery list and manifests.", wiring=True)
    identifiers_table: str = setting("DynamoDB table of identifiers.", wiring=True)
