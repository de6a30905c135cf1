"""XMP in a GIF file, which has no place for EXIF and none that is read for a colour profile.

Sources: GIF89a, 17 to 26; XMP part 3, 1.1.2.
"""

from vitrine.deliver.embed.selection import DerivativeMetadata

_SIGNATURES = (b"GIF87a", b"GIF89a")
_SCREEN_END, _FLAGS = 13, 10
_APPLICATION = b"\x21\xff\x0bXMP DataXMP"
# Whoever does not know XMP takes its bytes for block lengths and lands somewhere in this slide.
_SLIDE = b"\x01" + bytes(range(0xFF, -1, -1)) + b"\x00"


def embed_in_gif(image: bytes, metadata: DerivativeMetadata) -> bytes:
    """`image` with the XMP of `metadata`; as it is when it carries some, or is no GIF."""
    if image[:6] not in _SIGNATURES or len(image) < _SCREEN_END or not metadata.xmp:
        return image
    flags = image[_FLAGS]
    colours = 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0
    start = _SCREEN_END + colours
    if start > len(image) or image.startswith(_APPLICATION, start):
        return image
    extension = _APPLICATION + metadata.xmp + _SLIDE
    return b"GIF89a" + image[6:start] + extension + image[start:]
