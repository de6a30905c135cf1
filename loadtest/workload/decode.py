"""Checks of every pixel of an answer: too expensive for all of a load, so a share is decoded."""

from collections import Counter
from collections.abc import Mapping

import pyvips

from loadtest.workload.answers import find_size_fault
from loadtest.workload.target import Target

EVERY = 100
"""The first answer of each kind of request is decoded, and then one in this many."""


class AnswerSampler:
    """Chooses which answers are decoded; one for all users of a process."""

    def __init__(self, every: int = EVERY) -> None:
        self._every = every
        self._seen: Counter[str] = Counter()
        self.decoded = 0
        """Number of answers chosen so far."""

    def takes(self, target: Target, headers: Mapping[str, str]) -> bool:
        """Return True if this answer is to be decoded: only pictures are. `headers` have lower-case
        names."""
        if not headers.get("content-type", "").startswith("image/"):
            return False
        number = self._seen[target.kind]
        self._seen[target.kind] += 1
        if number % self._every:
            return False
        self.decoded += 1
        return True


def find_pixel_fault(target: Target, body: bytes) -> str:
    """Return what is wrong with a picture's pixels, in a few words; "" if nothing is.

    Every pixel is decoded, and a decoder's warning is a fault: of a JPEG that breaks off, libjpeg
    makes up the rest, and only warns. Then the dimensions are compared, of any format.
    """
    try:
        image = pyvips.Image.new_from_buffer(body, "", access="sequential", fail_on="warning")
        image.avg()
    except pyvips.Error as error:
        words = (error.detail or error.message).strip().splitlines()
        return f"cannot be decoded: {words[-1] if words else 'no reason given'}"
    return find_size_fault(target, image.width, image.height)
