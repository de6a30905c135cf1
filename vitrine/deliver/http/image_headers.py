"""The headers of images: what is the same for all answers of one image is made once."""

from vitrine.deliver.http.exchange import Headers
from vitrine.deliver.http.headers import cache_tag, image_etag, last_modified, links
from vitrine.iiif.address import image_path
from vitrine.iiif.version import Version
from vitrine.records import Live

_REMEMBERED = 4_096
"""Images, a kilobyte each."""


class ImageHeaders:
    """`life` is Cache-Control of every image, `revision` tells of the settings that change bytes
    (`rendering_revision`)."""

    def __init__(self, life: Headers, revision: str) -> None:
        self._life = life
        self._revision = revision
        self._known: dict[str, tuple[Live, Headers]] = {}

    def etag(self, image: Live) -> str:
        """Strong validator of everything made from this version of the image."""
        return image_etag(image, self._revision)

    def of(
        self, image: Live, content_type: str, base: str, version: Version, canonical: str
    ) -> Headers:
        """The headers of a good answer, CORS apart; `canonical` stands below the base URI."""
        address = f"{base}{image_path(version, image.identifier)}/{canonical}"
        return (("content-type", content_type), *links(address, version), *self._lasting(image))

    def _lasting(self, image: Live) -> Headers:
        known = self._known.get(image.identifier)
        if known and known[0] is image:
            return known[1]
        if len(self._known) >= _REMEMBERED:
            self._known.clear()  # cheap to make again, and seldom
        made = (
            ("etag", self.etag(image)),
            *self._life,
            *last_modified(image),
            *cache_tag(image.identifier),
        )
        self._known[image.identifier] = image, made
        return made
