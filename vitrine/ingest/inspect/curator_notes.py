"""Every note: what a curator should know about a master that is converted all the same."""

from collections.abc import Iterable
from dataclasses import dataclass

MAX_NOTES = 20
"""Notes of one master: what goes through a state machine or into a table must stay small."""
_MAX_CHARACTERS = 300


@dataclass(frozen=True)
class MasterNote:
    """Something about a master that a curator should know and that does not stop it."""

    code: str
    sentence: str
    value: str = ""


def profile_broken(value: str) -> MasterNote:
    """Note a profile that is damaged, or that the colour engine cannot use."""
    return MasterNote(
        "profile-broken",
        "The embedded colour profile is damaged and was not used; the colours may differ from "
        "those intended. Embed the right profile and upload the file again.",
        value,
    )


def profile_mismatched(value: str) -> MasterNote:
    """Note a profile for another colour model."""
    return MasterNote(
        "profile-mismatched",
        "The embedded colour profile is for another colour model than the image has and was not "
        "used; the colours may differ from those intended. Embed the right profile and upload "
        "the file again.",
        value,
    )


def cmyk_without_profile() -> MasterNote:
    """Note a CMYK image whose printing process is unknown."""
    return MasterNote(
        "cmyk-without-profile",
        "The CMYK image has no usable colour profile; a common press profile was assumed, so its "
        "colours are approximate.",
        "CMYK",
    )


def colours_without_profile(value: str) -> MasterNote:
    """Note colours that a file states without a profile, and that were read so."""
    return MasterNote(
        "colours-without-profile",
        f"The file has no colour profile, but says what its colours are ({value}), and so they "
        "were read. Embed the profile to be sure.",
        value,
    )


def colours_unknown(value: str) -> MasterNote:
    """Note that colours are not sRGB, and that nothing says what they are."""
    return MasterNote(
        "colours-unknown",
        "The file says that its colours are not sRGB, but not which they are; sRGB was assumed, so "
        "they may differ from those intended. Embed the right profile and upload the file again.",
        value,
    )


def colour_tags_unusable(value: str) -> MasterNote:
    """Note a description of the colours, apart from a profile, that makes no sense."""
    return MasterNote(
        "colour-tags-unusable",
        "The file describes its colours without a profile, but in a way that cannot be used; sRGB "
        "was assumed. Embed the right profile and upload the file again.",
        value,
    )


def linear_light_assumed(value: str) -> MasterNote:
    """Note floating-point samples without a profile."""
    return MasterNote(
        "linear-light-assumed",
        "The floating-point image has no colour profile; its values were taken for linear light. "
        "Embed the right profile and upload the file again if it looks too light or too dark.",
        value,
    )


def extra_samples_dropped(value: str) -> MasterNote:
    """Note that saved selections or spot colours are left out."""
    return MasterNote(
        "extra-samples-dropped",
        "Channels that are neither colours nor transparency (selections, spot colours) are not "
        "part of the converted image.",
        value,
    )


def samples_clipped(value: str) -> MasterNote:
    """Note floating-point samples that are not between black and white."""
    return MasterNote(
        "samples-clipped",
        "Some floating-point values of the image are below 0 (black), above 1 (white) or no "
        "numbers; those are shown as black or white.",
        value,
    )


def data_blank(value: str) -> MasterNote:
    """Note compressed pixels that are zeros for so long that no encoder wrote them."""
    return MasterNote(
        "data-blank",
        "A part of the file is empty (zeros), as after an interrupted copy, and its decoder does "
        "not notice: a part of the picture may be missing. Compare it with the original.",
        value,
    )


def parts_left_out(value: str) -> MasterNote:
    """Note a strip or tile that is listed and lies beyond the picture, by the picture's size."""
    return MasterNote(
        "parts-left-out",
        "The TIFF lists more strips or tiles than its picture needs; what lies beyond the picture "
        "is not shown. Compare its last rows with the original.",
        value,
    )


def pages_left_out(value: str) -> MasterNote:
    """Note that only one page of several is converted, of a scanned book say."""
    return MasterNote(
        "pages-left-out",
        "The file has several pages that show different things; only the largest is converted. "
        "Upload each page as a master of its own.",
        value,
    )


def pictures_left_out(value: str) -> MasterNote:
    """Note that only the first picture of a JPEG of several is converted, of a stereo pair say."""
    return MasterNote(
        "pictures-left-out",
        "The JPEG holds several pictures (a stereo pair, a burst, views of a panorama); only the "
        "first is converted. Save each as a file of its own to show it.",
        value,
    )


def gain_map_left_out(value: str) -> MasterNote:
    """Note that brightness beyond that of paper is left out."""
    return MasterNote(
        "gain-map-left-out",
        "The file holds a gain map, with which bright displays show highlights brighter (Ultra "
        "HDR); it is not used, and the picture is shown in its standard brightness.",
        value,
    )


def mask_left_out(value: str) -> MasterNote:
    """Note that a mask in a page of its own is not used."""
    return MasterNote(
        "mask-left-out",
        "The file has a transparency mask in a page of its own; it is not used, and the "
        "picture is shown whole. Save transparency as an alpha channel to keep it.",
        value,
    )


def animation_stilled(value: str) -> MasterNote:
    """Note that an APNG or an animated WebP becomes a still image."""
    return MasterNote(
        "animation-stilled", "Only the first picture of the animation is converted.", value
    )


def shorten_notes(sentences: Iterable[str]) -> list[str]:
    """Return the sentences, once each, shortened to what may travel with the master."""
    once = list(dict.fromkeys(sentence[:_MAX_CHARACTERS] for sentence in sentences))
    if len(once) <= MAX_NOTES:
        return once
    kept = once[: MAX_NOTES - 1]
    return [*kept, f"There are {len(once) - len(kept):,} more notes of this kind."]


NOTES = (
    profile_broken(""),
    profile_mismatched(""),
    cmyk_without_profile(),
    colours_without_profile("EXIF: Adobe RGB"),
    colours_unknown(""),
    colour_tags_unusable(""),
    linear_light_assumed(""),
    extra_samples_dropped(""),
    samples_clipped(""),
    data_blank(""),
    parts_left_out(""),
    pages_left_out(""),
    pictures_left_out(""),
    gain_map_left_out(""),
    mask_left_out(""),
    animation_stilled(""),
)
"""One of each, for the reference page."""
