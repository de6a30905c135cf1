"""The versions of the Image API, as the few things in which they differ.

Sources: https://iiif.io/api/image/2.1/ and https://iiif.io/api/image/3.0/.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Version:
    """One major version of the Image API."""

    number: int
    full_is_a_size: bool
    """`full` as a size: the region unscaled."""
    upscaling_is_marked: bool
    """A size larger than the region needs `^`, and is an error without."""
    canonical_size_names_both: bool
    """The canonical size is `w,h`; else `w,` wherever the aspect ratio is kept."""
    profile: str
    """URI of the level of compliance, for the Link header."""
    context: str

    def profile_of(self, level: int) -> str:
        """Return the URI of another level of compliance, 0 to 2."""
        return f"http://iiif.io/api/image/{self.number}/level{level}.json"


V2 = Version(
    number=2,
    full_is_a_size=True,
    upscaling_is_marked=False,
    canonical_size_names_both=False,
    profile="http://iiif.io/api/image/2/level2.json",
    context="http://iiif.io/api/image/2/context.json",
)
V3 = Version(
    number=3,
    full_is_a_size=False,
    upscaling_is_marked=True,
    canonical_size_names_both=True,
    profile="http://iiif.io/api/image/3/level2.json",
    context="http://iiif.io/api/image/3/context.json",
)
VERSIONS = {"2": V2, "3": V3}
NEWEST = V3
