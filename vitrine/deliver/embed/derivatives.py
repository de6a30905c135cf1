"""Embedding of metadata in encoded derivatives, in each format that carries it."""

from collections.abc import Callable

from vitrine.deliver.embed.avif import embed_in_avif
from vitrine.deliver.embed.gif import embed_in_gif
from vitrine.deliver.embed.jpeg import embed_in_jpeg
from vitrine.deliver.embed.png import embed_in_png
from vitrine.deliver.embed.selection import DerivativeMetadata
from vitrine.deliver.embed.tiff import embed_in_tiff
from vitrine.deliver.embed.webp import embed_in_webp

EMBED: dict[str, Callable[[bytes, DerivativeMetadata], bytes]] = {
    "jpg": embed_in_jpeg,
    "png": embed_in_png,
    "webp": embed_in_webp,
    "gif": embed_in_gif,
    "tif": embed_in_tiff,
    "avif": embed_in_avif,
}
"""Functions that embed metadata, by IIIF name of the format. A JPEG XL has the metadata of the JPEG
that it was made from."""


def embed_metadata(image: bytes, format_name: str, metadata: DerivativeMetadata) -> bytes:
    """Return the image with `metadata`, its pixels untouched; unchanged if its format has none."""
    embed = EMBED.get(format_name)
    return embed(image, metadata) if embed else image
