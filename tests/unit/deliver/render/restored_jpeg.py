"""The JPEG that a JPEG XL was packed from, restored by another library."""

import imagecodecs


def restore_jpeg(packed: bytes) -> bytes:
    """Return the JPEG, bit for bit."""
    return bytes(imagecodecs.jpegxl_decode_jpeg(packed))  # type: ignore[call-arg]
