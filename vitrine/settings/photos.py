"""Settings of the photo door."""

from dataclasses import dataclass

from vitrine.settings.declaration import Settings, setting


@dataclass(frozen=True, kw_only=True)
class PhotoOptions(Settings):
    """What an operator may choose about the photo door."""

    thumbnails: str = setting(
        "Thumbnails that a request may name: region and size of the Image API, at most 8, each at "
        "most 4,096 pixels on a side. None is enlarged.",
        "small = square/150,150; medium = full/!500,500; large = full/!1600,1600",
    )
    photo_place: str = setting(
        "Whether answers say where a photograph was taken, as its camera noted: hide, show.",
        "hide",
        choices=("hide", "show"),
    )
    maximum_photo_mebibytes: int = setting(
        "Largest photograph in the body of a request, in MiB.", 32, least=1, most=256
    )
    maximum_photo_megapixels: int = setting(
        "Largest photograph, in megapixels.", 120, least=1, most=1_000
    )
    photo_queue: int = setting(
        "Photographs that nginx lets in at a time, on their way or waiting; more are answered by "
        "503.",
        64,
        least=1,
        most=1_000,
    )


@dataclass(frozen=True, kw_only=True)
class PhotoSettings(PhotoOptions):
    """What the processes of the photo door need."""

    masters_bucket: str = setting("Bucket of the masters.", wiring=True)
    records_bucket: str = setting(
        "Bucket of the keys that forms are signed with, and of thumbnails for a day.", wiring=True
    )
    uses_table: str = setting(
        "DynamoDB table that counts photographs by form and hour.", wiring=True
    )
    public_base_url: str = setting(
        "Scheme and host of the addresses of images; empty: the Host header decides.",
        "",
        derived_from="domain_name",
    )
    work_directory: str = setting(
        "Volume shared by the containers, for sockets, the cache and temporary files.",
        "/var/vitrine",
        wiring=True,
    )
    photo_workers: int = setting(
        "Number of processes; each decodes one photograph at a time.",
        1,
        least=1,
        derived_from="image_task",
    )
    photo_memory_mebibytes: int = setting(
        "Memory that decoding one photograph may take, in MiB; what takes more is refused.",
        512,
        least=64,
        derived_from="image_task",
    )
    log_level: str = setting(
        "DEBUG, INFO, WARNING or ERROR.",
        "INFO",
        choices=("DEBUG", "INFO", "WARNING", "ERROR"),
        derived_from="log_level",
    )
