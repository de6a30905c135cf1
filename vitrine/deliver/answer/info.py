"""Image information: what is answered to a request for `info.json`."""

from dataclasses import dataclass
from typing import ClassVar

from vitrine.access.descriptions import describe_services
from vitrine.deliver.http import headers
from vitrine.deliver.http.base_url import base_url
from vitrine.deliver.http.conditional import document_if_changed
from vitrine.deliver.http.exchange import Request, Response, json_response
from vitrine.deliver.http.json_media import media_headers
from vitrine.errors import Unavailable
from vitrine.iiif.format import JPEG
from vitrine.iiif.info import ImageInformation
from vitrine.iiif.paths import download_path, image_path
from vitrine.iiif.presentation.addresses import MANIFEST, NEWEST, document_path
from vitrine.iiif.presentation.version3 import Json
from vitrine.iiif.size import Limits
from vitrine.iiif.version import Version
from vitrine.records import Live
from vitrine.settings.deliver import DeliverSettings
from vitrine.store.rights_table import RightsTable


@dataclass(frozen=True)
class Info:
    """The image information document of this version."""

    kind: ClassVar = "info"
    """Word of the metrics for what was requested."""
    image: Live
    version: Version
    is_whole: bool = True
    """False if only a part of what is stored is shown."""
    prefix: str = ""
    """Beginning of the addresses that the document names, before `/iiif/`."""
    right: str = ""
    """Name of the right whose holders see the image whole, if the document tells of it."""
    is_admitted: bool = True
    """False if those who ask may not see the image, only how to get a ticket for it."""


class InfoDocuments:
    """Makes the information from the records of images; nothing else has to be read."""

    def __init__(
        self, settings: DeliverSettings, limits: Limits, rights: RightsTable | None = None
    ) -> None:
        self._rights = rights
        self._settings = settings
        self._limits = limits
        self._downloads = settings.downloads_at_once > 0

    def respond(self, request: Request, info: Info) -> Response:
        """Return the document in the media type that the client prefers, or 304 if it has it.

        Raises InvalidRequest for a malformed Host, and Unavailable as long as the table of rights
        was never read.
        """
        base, version = base_url(request, self._settings.public_base_url), info.version
        information = self._describe_image(info, base)
        links = [_describing_link(info.image.identifier)]
        if information.is_downloadable:
            links.append(_download_link(information.download_address))
        accept = request.headers.get("accept")
        media = media_headers(version.number, version.context, accept)
        media = headers.add_links(media, *links)
        document = information.document(version)
        if not info.is_admitted:
            return json_response(401, document, (*media, *headers.NO_STORE))
        response = json_response(200, document, (*media, *headers.brief_life()))
        return document_if_changed(request, response)

    def _describe_image(self, info: Info, base: str) -> ImageInformation:
        image = info.image
        return ImageInformation(
            uri=base + info.prefix + image_path(info.version, image.identifier),
            download_address=base + info.prefix + download_path(image.identifier),
            width=image.width,
            height=image.height,
            tile_width=image.tile_width,
            tile_height=image.tile_height,
            levels=image.levels,
            limits=self._limits,
            rights=self._settings.rights_uri,
            downloads=self._downloads and info.is_whole,
            enlarges=info.is_whole,
            services=self._describe_way_in(info, base),
        )

    def _describe_way_in(self, info: Info, base: str) -> list[Json]:
        """Return the services of access of an image that those with a right see whole."""
        if not info.right or not self._rights:
            return []
        rights = self._rights.current()
        if rights is None:
            raise Unavailable("the table of rights is not read yet")
        right = rights.get(info.right)
        return describe_services(base, info.image.identifier, info.right, right) if right else []


def _describing_link(identifier: str) -> str:
    """Return the link from an image to the manifest of its name (W3C, POWDER)."""
    return f'<{document_path(NEWEST, identifier, MANIFEST)}>;rel="describedby"'


def _download_link(address: str) -> str:
    """Return the link to a file that is large (RFC 4287, section 4.2.7.2; IANA: enclosure)."""
    return f'<{address}>;rel="enclosure";type="{JPEG.media_type}"'
