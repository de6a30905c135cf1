"""Every note: what a curator should know about a master that is converted all the same."""

from collections.abc import Iterable

from vitrine.ingest.inspect.formats.picture_format import Note

MOST_TOLD = 20
"""Notes that travel on: what goes through a state machine or into a table must stay small."""
_MOST_CHARACTERS = 300


def profile_broken(value: str) -> Note:
    """The embedded profile is none, or the colour engine makes nothing of it."""
    return Note(
        "profile-broken",
        "The embedded colour profile is damaged and was not used; the colours may differ from "
        "what was meant. Embed the right profile and upload the file again.",
        value,
    )


def profile_mismatched(value: str) -> Note:
    """The embedded profile is one for another colour model."""
    return Note(
        "profile-mismatched",
        "The embedded colour profile is for another colour model than the image has and was not "
        "used; the colours may differ from what was meant. Embed the right profile and upload "
        "the file again.",
        value,
    )


def cmyk_without_profile() -> Note:
    """What process the inks are meant for is not known."""
    return Note(
        "cmyk-without-profile",
        "The CMYK image has no usable colour profile; a common press profile was assumed, so its "
        "colours are approximate.",
        "CMYK",
    )


def extra_samples_dropped(value: str) -> Note:
    """Saved selections and spot colours."""
    return Note(
        "extra-samples-dropped",
        "Channels that are neither colours nor transparency (selections, spot colours) are not "
        "part of the converted image.",
        value,
    )


def pages_left_out(value: str) -> Note:
    """A scanned book in one file, say."""
    return Note(
        "pages-left-out",
        "The file has several large pages; only the largest is converted. Upload each page as a "
        "master of its own.",
        value,
    )


def animation_stilled(value: str) -> Note:
    """An APNG or a moving WebP."""
    return Note("animation-stilled", "Only the first picture of the animation is converted.", value)


def told(sentences: Iterable[str]) -> list[str]:
    """The sentences, once each, shortened to what may travel with the master."""
    once = list(dict.fromkeys(sentence[:_MOST_CHARACTERS] for sentence in sentences))
    if len(once) <= MOST_TOLD:
        return once
    kept = once[: MOST_TOLD - 1]
    return [*kept, f"There are {len(once) - len(kept):,} more notes of this kind."]


NOTES = (
    profile_broken(""),
    profile_mismatched(""),
    cmyk_without_profile(),
    extra_samples_dropped(""),
    pages_left_out(""),
    animation_stilled(""),
)
"""One of each, for the reference page."""
