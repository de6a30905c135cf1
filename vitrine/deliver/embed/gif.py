"""XMP in a GIF file, which has no place for EXIF and none for a profile that decoders read.

Sources: GIF89a, 17 to 26; XMP part 3, 1.1.2.
"""

from vitrine.deliver.embed.selection import DerivativeMetadata

_SIGNATURES = (b"GIF87a", b"GIF89a")
_SCREEN_END, _FLAGS = 13, 10
_APPLICATION = b"\x21\xff\x0bXMP DataXMP"
# A decoder that does not know XMP reads its bytes as block lengths and ends up in this slide.
_SLIDE = b"\x01" + bytes(range(0xFF, -1, -1)) + b"\x00"


def embed_in_gif(image: bytes, metadata: DerivativeMetadata) -> bytes:
    """Embed the XMP of `metadata`; a file that has XMP, or is not a GIF, returns unchanged."""
    if image[:6] not in _SIGNATURES or len(image) < _SCREEN_END or not metadata.xmp_with_fields:
        return image
    flags = image[_FLAGS]
    colours = 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0
    start = _SCREEN_END + colours
    if start > len(image) or image.startswith(_APPLICATION, start):
        return image
    extension = _APPLICATION + metadata.xmp_with_fields + _SLIDE
    return b"GIF89a" + image[6:start] + extension + image[start:]
