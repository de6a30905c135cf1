"""The colour profile that a master carries: is it one, and is it for this kind of image?"""

from typing import Literal

ProfileState = Literal["none", "usable", "mismatched"]

_COLOUR_SPACES = {b"GRAY": "gray", b"RGB ": "rgb", b"CMYK": "cmyk", b"Lab ": "lab"}
_HEADER_BYTES = 128


def profile_state(profile: bytes | None, colour: str) -> ProfileState:
    """Whether `profile` can convert an image of this colour model.

    libvips converts with a mismatched profile without a word, so we look at the colour space
    signature (bytes 16 to 19) and the file signature (36 to 39). Source: ICC.1:2022, 7.2.
    """
    if not profile:
        return "none"
    if len(profile) < _HEADER_BYTES or profile[36:40] != b"acsp":
        return "mismatched"
    return "usable" if _COLOUR_SPACES.get(profile[16:20]) == colour else "mismatched"
