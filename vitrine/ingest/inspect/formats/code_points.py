"""Colours by the code points of video, as PNG and AVIF state them. Source: ITU-T H.273, 8.1, 8.2.

The transfer function of BT.709 is read as sRGB's: it is for cameras, and screens undo sRGB's.
"""

from vitrine.ingest import rejections
from vitrine.ingest.inspect.formats.made_profile import (
    BT2020_PRIMARIES,
    D65,
    P3_PRIMARIES,
    SRGB_PRIMARIES,
    Chromaticity,
    ColourEncoding,
    Primaries,
    gamma_curve,
    make_profile,
    srgb_curve,
)
from vitrine.ingest.inspect.formats.picture_format import Colour

_UNSPECIFIED = 2
_PRIMARIES: dict[int, tuple[Primaries, Chromaticity]] = {
    1: (SRGB_PRIMARIES, D65),
    _UNSPECIFIED: (SRGB_PRIMARIES, D65),
    5: (((0.64, 0.33), (0.29, 0.60), (0.15, 0.06)), D65),
    6: (((0.630, 0.340), (0.310, 0.595), (0.155, 0.070)), D65),
    7: (((0.630, 0.340), (0.310, 0.595), (0.155, 0.070)), D65),
    9: (BT2020_PRIMARIES, D65),
    11: (P3_PRIMARIES, (0.314, 0.351)),
    12: (P3_PRIMARIES, D65),
}
_SRGB_TRANSFERS = frozenset({1, _UNSPECIFIED, 6, 13, 14, 15})
_GAMMAS = {4: 2.2, 5: 2.8, 8: 1.0}
_HIGH_DYNAMIC_RANGE = {16: "PQ, ITU-R BT.2100", 18: "HLG, ITU-R BT.2100"}


def profile_by_code_points(primaries: int, transfer: int, colour: Colour) -> bytes | None:
    """Return a profile of colour primaries and transfer function; None for sRGB.

    Raises MasterRejected: high-dynamic-range, unsupported-colour.
    """
    if transfer in _HIGH_DYNAMIC_RANGE:
        raise rejections.high_dynamic_range(_HIGH_DYNAMIC_RANGE[transfer])
    if primaries not in _PRIMARIES or transfer not in _SRGB_TRANSFERS | _GAMMAS.keys():
        raise rejections.unsupported_colour(
            f"colour primaries {primaries} and transfer function {transfer} of ITU-T H.273"
        )
    stated, white = _PRIMARIES[primaries]
    if stated == SRGB_PRIMARIES and transfer in _SRGB_TRANSFERS:
        return None
    curve = gamma_curve(_GAMMAS[transfer]) if transfer in _GAMMAS else srgb_curve()
    return make_profile(ColourEncoding((curve,), stated, white), colour)
