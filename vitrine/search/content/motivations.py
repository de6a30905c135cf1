"""Which motivations somebody asks for, in the words of either Content Search API.

The text of a page is `sc:painting` in 1.0, as in Presentation 2, and that is what Universal Viewer
asks for; it is `supplementing` in 2.0. So `non-painting` is all but texts in 1.0, and everything in
2.0.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from vitrine.errors import InvalidRequest
from vitrine.iiif.presentation.remarks import short_motivation

MAX_MOTIVATION_LENGTH = 200
"""Characters of the parameter."""
_NOT_PAINTING = "non-painting"
_OF_TEXT = {
    1: {"painting", "supplementing", "transcribing"},
    2: {"supplementing", "transcribing", _NOT_PAINTING},
}
"""Motivations of texts, by the version of Content Search."""


@dataclass(frozen=True, slots=True)
class RequestedMotivations:
    """Motivations of which one is enough."""

    has_text: bool
    """True if texts of pages are requested."""
    names: frozenset[str] = frozenset()
    """Names of the motivations of other annotations."""

    def has(self, motivations: Iterable[str]) -> bool:
        """Return whether an annotation that is not text of a page is requested."""
        return _NOT_PAINTING in self.names or any(_fold(one) in self.names for one in motivations)

    def accept(self, several: Collection[tuple[str, ...]]) -> frozenset[int]:
        """Return the places of those annotations that are requested, by their motivations."""
        known = {motivations: self.has(motivations) for motivations in {*several}}
        return frozenset(place for place, one in enumerate(several) if known[one])


TEXT_ALONE = RequestedMotivations(has_text=True)


def read_motivations(text: str, version: int) -> RequestedMotivations | None:
    """Return what a parameter of a version of Content Search asks for; None for everything.

    Raises InvalidRequest.
    """
    if len(text) > MAX_MOTIVATION_LENGTH:
        raise InvalidRequest(f"motivation has at most {MAX_MOTIVATION_LENGTH} characters")
    names = frozenset(_fold(one) for one in text.split()) - {""}
    return RequestedMotivations(bool(names & _OF_TEXT[version]), names) if names else None


def _fold(name: str) -> str:
    return short_motivation(name.lower())
