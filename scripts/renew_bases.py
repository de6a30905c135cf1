"""Pin the containers' base image and Debian's packages to those of today: containers/bases.toml.

    python3 scripts/renew_bases.py [--file FILE] [--registry URL] [--snapshots URL]

Asks the registry for the digest of the image's tag, and snapshot.debian.org for its latest state of
Debian's archive. Needs Python alone. Exit code 0: the file is of today; 1: it is as it was, and the
reason is printed.
"""

import argparse
import hashlib
import json
import re
import sys
import tomllib
import urllib.error
import urllib.request
from datetime import UTC, datetime
from email.message import Message
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

FILE = Path(__file__).resolve().parents[1] / "containers" / "bases.toml"
REGISTRY = "https://registry-1.docker.io"
SNAPSHOTS = "https://snapshot.debian.org"
ARCHIVES = {"debian": "{release}", "debian-security": "{release}-security"}
"""Archive by the suite that must be in its snapshot."""
MANIFESTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
"""An image of all its architectures (OCI distribution specification, "Pulling manifests")."""
MAX_BYTES = 1 << 20
SECONDS = 60.0
_MOMENT = re.compile(r"/archive/debian/(\d{8}T\d{6}Z)/")
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')
_IMAGE = re.compile(r"docker\.io/(?P<name>[a-z0-9/-]+):(?P<tag>(?P<release>[a-z]+)[a-z0-9.-]*)")


class NotRenewedError(Exception):
    """The file cannot be renewed; the message says why."""


class Answer(NamedTuple):
    """What a server said; `url` is where redirects ended."""

    url: str
    headers: Message
    body: bytes


def ask(url: str, headers: dict[str, str] | None = None) -> Answer:
    """Return the answer to a GET. Raises HTTPError, NotRenewedError."""
    try:
        request = urllib.request.Request(url, headers=headers or {})
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            body: bytes = response.read(MAX_BYTES + 1)
            answer = Answer(response.url, response.headers, body)
    except urllib.error.HTTPError:
        raise
    except OSError as error:
        raise NotRenewedError(f"{url} did not answer ({error}). Try again later.") from None
    if len(answer.body) > MAX_BYTES:
        raise NotRenewedError(f"{url} answers with more than {MAX_BYTES:,} bytes.")
    return answer


def find_digest(registry: str, name: str, tag: str) -> str:
    """Return the digest of an image of all architectures. Raises NotRenewedError."""
    url = f"{registry}/v2/{name}/manifests/{tag}"
    headers = {"Accept": ", ".join(MANIFESTS)}
    try:
        try:
            answer = ask(url, headers)
        except urllib.error.HTTPError as error:
            if error.code != 401:
                raise
            token = _token(error.headers.get("WWW-Authenticate", ""))
            answer = ask(url, headers | {"Authorization": f"Bearer {token}"})
    except urllib.error.HTTPError as error:
        raise NotRenewedError(f"{error.url} answers {error.code} {error.reason}.") from None
    kind = answer.headers.get_content_type()
    if kind not in MANIFESTS:
        raise NotRenewedError(f"{url} is one image ({kind}), not an index of all architectures.")
    # The digest is that of the bytes, whatever the header says.
    return f"sha256:{hashlib.sha256(answer.body).hexdigest()}"


def _token(challenge: str) -> str:
    """Return what a registry wants to be shown (distribution, "Token authentication")."""
    fields = dict(_CHALLENGE.findall(challenge))
    realm = fields.pop("realm", "")
    if not realm:
        raise NotRenewedError(f"The registry asks for another kind of credentials: {challenge!r}.")
    answer = ask(f"{realm}?{urlencode(fields)}")
    try:
        return str(json.loads(answer.body)["token"])
    except (ValueError, KeyError, TypeError):
        raise NotRenewedError(f"{realm} answers with no token.") from None


def find_snapshot(snapshots: str, release: str, now: datetime) -> str:
    """Return the latest moment of Debian's archive at which both suites are there.

    The server leads a moment to the latest state before it. Raises NotRenewedError.
    """
    moment = now.strftime("%Y%m%dT%H%M%SZ")
    for archive, suite in ARCHIVES.items():
        suite = suite.format(release=release)
        url = f"{snapshots}/archive/{archive}/{moment}/dists/{suite}/InRelease"
        try:
            answer = ask(url)
        except urllib.error.HTTPError as error:
            raise NotRenewedError(f"{url} answers {error.code} {error.reason}.") from None
        if f"Codename: {suite}\n".encode() not in answer.body:
            raise NotRenewedError(f"{answer.url} is not the list of {suite}.")
        if found := _MOMENT.search(answer.url):
            moment = found[1]
    return moment


def renew(file: Path, registry: str, snapshots: str, now: datetime) -> str:
    """Write digest and snapshot into the file; return what is new. Raises NotRenewedError."""
    text = file.read_text()
    old = tomllib.loads(text)
    image = _IMAGE.fullmatch(old["image"])
    if not image:
        raise NotRenewedError(f"{file}: {old['image']!r} is not an image of docker.io with a tag.")
    new = {
        "digest": find_digest(registry, image["name"], image["tag"]),
        "snapshot": find_snapshot(snapshots, image["release"], now),
    }
    for name, value in new.items():
        text = re.sub(rf'^{name} = ".*"$', f'{name} = "{value}"', text, flags=re.MULTILINE)
    if tomllib.loads(text) != old | new:
        raise NotRenewedError(f"{file} has no lines for digest and snapshot.")
    file.write_text(text)
    newer = {name: value for name, value in new.items() if value != old[name]}
    return "\n".join(f"{name}: {old[name] or 'none'} is now {new[name]}" for name in newer)


def main() -> int:
    """Renew the file that the command line names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("--registry", default=REGISTRY, help="address of the registry's API")
    parser.add_argument("--snapshots", default=SNAPSHOTS, help="address of snapshot.debian.org")
    options = parser.parse_args()
    try:
        changed = renew(options.file, options.registry, options.snapshots, datetime.now(UTC))
    except NotRenewedError as problem:
        print(f"{options.file} stays as it is: {problem}", file=sys.stderr)
        return 1
    print(changed or "Nothing is newer.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
