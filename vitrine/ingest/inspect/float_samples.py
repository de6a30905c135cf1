"""Floating-point samples: 0 is black, 1 is white; what lies outside or is no number is defined.

Not a number and less than 0 are black, more than 1 and infinite are white.
"""

from typing import Any

from vitrine.ingest import rejections
from vitrine.ingest.inspect.curator_notes import MasterNote, samples_clipped

_MAX_OUT_OF_RANGE = 0.01
"""Share of samples outside 0 to 1: glints and rounding, not another scale."""
_SLACK = 0.001


def check_range(image: Any) -> tuple[MasterNote, ...]:
    """Return a note if samples lie outside 0 to 1; reads all pixels.

    Raises MasterRejected, values-out-of-range, if there are many.
    """
    outside = (image > 1 + _SLACK) | (image < -_SLACK) | (image != image)
    share = outside.avg() / 255
    if share > _MAX_OUT_OF_RANGE:
        raise rejections.values_out_of_range(share)
    return (samples_clipped(f"{share:.4%} of the samples"),) if share else ()


def clip_samples(image: Any) -> Any:
    """Return the image with every sample between 0 and 1."""
    numbers = (image == image).ifthenelse(image, 0)
    positive = (numbers > 0).ifthenelse(numbers, 0)
    return (
        (positive < 1)
        .ifthenelse(positive, 1)
        .cast("float")
        .copy(interpretation=image.interpretation)
    )
