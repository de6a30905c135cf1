"""The catalogue of a load test, from wherever its images are listed."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

from loadtest.errors import InvalidScenario
from loadtest.workload.catalogue import Image
from loadtest.workload.sources import image_from_info, images_from_csv, images_from_json
from vitrine.errors import TransientError
from vitrine.iiif.paths import image_path
from vitrine.iiif.version import NEWEST
from vitrine.ports import IdentifierTable

NEWEST_IMAGES = 200
_TIMEOUT_SECONDS = 30
_AT_ONCE = 8


def images_from(sources: Iterable[str]) -> list[Image]:
    """Return the images of all sources.

    A source is a CSV or JSON file, the address of an `info.json`, or a text file with one such
    address per line.

    Raises InvalidScenario, and TransientError when a server does not answer.
    """
    images: list[Image] = []
    addresses: list[str] = []
    for source in sources:
        if source.startswith(("http://", "https://")):
            addresses.append(source)
            continue
        text = _read_text(Path(source))
        if Path(source).suffix in _TABLES:
            images += _parse_table(source, text)
        else:
            addresses += _parse_addresses(source, text)
    return images + read_infos(addresses)


_TABLES = {".json": images_from_json, ".csv": images_from_csv}


def _parse_table(source: str, text: str) -> list[Image]:
    try:
        return _TABLES[Path(source).suffix](text)
    except InvalidScenario as error:
        raise InvalidScenario(f"{source}: {error}") from None


def service_images(identifiers: IdentifierTable, url: str) -> list[Image]:
    """Return the newest images of a service of ours, as `url` describes them."""
    bases = [image_path(NEWEST, image.identifier) for image in identifiers.newest(NEWEST_IMAGES)]
    return read_infos([f"{url}{base}/info.json" for base in bases])


def read_infos(addresses: Sequence[str]) -> list[Image]:
    """Return the images that these documents describe, in their order.

    Raises InvalidScenario, and TransientError when a server does not answer.
    """
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(_read_info, addresses))


def _read_info(address: str) -> Image:
    try:
        with urllib.request.urlopen(_encode_address(address), timeout=_TIMEOUT_SECONDS) as response:
            document = json.load(response)
    except urllib.error.HTTPError as error:
        error.close()
        raise InvalidScenario(f"{address} answers {error.code} {error.reason}") from None
    except http.client.InvalidURL as error:
        raise InvalidScenario(f"{address} is no address: {error}") from None
    except ValueError:
        raise InvalidScenario(f"{address} is no JSON") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error) or type(error).__name__
        raise TransientError(f"{address} does not answer: {reason!s}") from None
    return image_from_info(document, address)


def _encode_address(address: str) -> str:
    return quote(address, safe=":/?&=%+,!^~@;$()*'-._[]")


def _parse_addresses(source: str, text: str) -> Iterator[str]:
    for line in text.splitlines():
        if not line.strip():
            continue
        if not line.startswith(("http://", "https://")):
            raise InvalidScenario(
                f"{source}: {line[:80]!r} is no address of an info.json; "
                "a table of images must be a .csv file"
            )
        yield line.strip()


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidScenario(f"{path} cannot be read: {error}") from None
