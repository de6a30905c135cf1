"""What is published of an object or a collection: all that its addresses answer, in one S3 object.

Both versions of a document, or what stands in their place, change at the same moment. Its form is
MessagePack, the documents compressed by Brotli. The pages of a long collection are next to it, each
in an object of its own.
"""

import logging
from collections.abc import Mapping
from typing import Literal

import msgspec

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/vnd.msgpack"

Kind = Literal["manifest", "collection"]


class _Publication(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="state", omit_defaults=True
):
    revision: int
    """Revision of the record from which it was made."""


class Published(_Publication, frozen=True, kw_only=True, tag="published"):
    """There are documents to show."""

    kind: Kind
    documents: Mapping[int, bytes]
    """Documents by version of the Presentation API: JSON in UTF-8, compressed by Brotli."""
    pages: int = 0
    """Pages of a long collection, each an object of its own; the documents lead to them."""
    pages_digest: str = ""
    """Digest of the pages' contents."""
    facets: tuple[int, ...] = ()
    """Places in the documents' metadata, from 0, of what the site lists objects by."""
    texts: tuple[str, ...] = ()
    """Names of the annotations with the text of each canvas, which are objects of their own; empty
    for a canvas without a text, nothing if none has one."""
    annotations: tuple[str, ...] = ()
    """Names of the other annotations of each canvas, as `texts`."""
    text_index: str = ""
    """Name of the index of its pages' words, which is an object of its own; empty: they have none.
    """


class Moved(_Publication, frozen=True, kw_only=True, tag="moved"):
    """The object has another identifier now."""

    target: str


class Withdrawn(_Publication, frozen=True, kw_only=True, tag="withdrawn"):
    """A curator took it off the web."""

    reason: str
    since: str
    """RFC 3339 UTC."""


class Waiting(_Publication, frozen=True, kw_only=True, tag="waiting"):
    """None of its images is published yet."""


Publication = Published | Moved | Withdrawn | Waiting

_decoder = msgspec.msgpack.Decoder(Publication)


def encode_publication(publication: Publication) -> bytes:
    """Return the body of its S3 object; the same publication has the same bytes."""
    return msgspec.msgpack.encode(publication)


def decode_publication(body: bytes) -> Publication:
    """Return what `encode_publication` was given. Raises msgspec.DecodeError."""
    try:
        publication: Publication = _decoder.decode(body)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(str(error)) from error
    return publication


def readable_body(key: str, body: bytes) -> bytes:
    """Return the body of a publication; nothing for one that is damaged, which is logged."""
    try:
        decode_publication(body)
    except msgspec.DecodeError as error:
        logger.error("%s is damaged, so it is written again: %s", key, error)
        return b""
    return body


_page_decoder = msgspec.msgpack.Decoder(dict[int, bytes])


def encode_page(documents: Mapping[int, bytes]) -> bytes:
    """Return the body of a page of a long collection: its documents, as in Published."""
    return msgspec.msgpack.encode(documents)


def decode_page(body: bytes) -> dict[int, bytes]:
    """Return what `encode_page` was given; nothing for a page that was emptied.

    Raises msgspec.DecodeError.
    """
    documents: dict[int, bytes] = _page_decoder.decode(body) if body else {}
    return documents
