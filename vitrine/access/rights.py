"""Rights: who may see restricted images, and what an institution says to those who may not yet.

An institution names them in one file, `access.toml`:

    origins = ["https://www.museum.org"]

    [provider]
    issuer = "https://login.museum.org"
    client = "vitrine"

    [rights.staff]
    group = "museum-staff"
    label = { en = "Sign in to the Museum", de = "Beim Museum anmelden" }

    [rights.reading-room]
    networks = ["192.0.2.0/24"]
    label = { en = "In the reading room" }

    [rights.registered]
    terms = { en = "These images show human remains." }
    label = { en = "Read this first" }
"""

import ipaddress
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Meta, Struct

from vitrine.access.rules import RESERVED, RIGHT
from vitrine.access.tickets import MAX_TICKET_LENGTH, count_characters
from vitrine.errors import AccessRefused

MAX_FILE_LENGTH = 64 << 10
"""Bytes of an `access.toml`."""
ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253})(:[0-9]{1,5})?")
"""Origin of a page, as browsers write it (HTML, "serialization of an origin")."""
MIN_PREFIX_BITS = {4: 8, 6: 16}
"""Bits that the addresses of a place have in common at least, by version of IP; several networks
are no more addresses together."""
MAX_IPV6_PREFIX_BITS = 64
"""Bits: a ticket holds for as much (`viewer_network`)."""
_MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")
_INSIDE = tuple(
    ipaddress.ip_network(text)
    for text in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),  # RFC 1918
        *("100.64.0.0/10", "169.254.0.0/16"),  # RFC 6598, 3927
        *("fc00::/7", "fe80::/10"),  # RFC 4193, 4291
    )
)
"""Addresses that mean something inside a network only: the edge sees nobody with one."""
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_THIS_MACHINE = frozenset({"127.0.0.1", "localhost"})

Word = Annotated[str, Meta(min_length=1, max_length=200)]
Lines = Annotated[dict[str, Word], Meta(max_length=20)]
Texts = Annotated[
    dict[str, Annotated[str, Meta(min_length=1, max_length=4_000)]], Meta(max_length=20)
]
Kind = Literal["role", "place", "terms"]


class Provider(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An OpenID Connect provider that knows the institution's people."""

    issuer: Word
    """The address below which `.well-known/openid-configuration` is."""
    client: Word
    """Our id there."""
    scopes: Annotated[tuple[Word, ...], Meta(max_length=20)] = ("openid",)
    claim: Word = "groups"
    """Claim of ID tokens that has a person's groups: a list, or a text, which is one group."""


class Right(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A way to restricted images: exactly one of a group, networks and terms."""

    label: Lines
    """Text of the link to the way in, by language."""
    heading: Lines = {}
    note: Texts = {}
    """Text that viewers show with that link."""
    confirm: Lines = {}
    """Text of the button, by language."""
    group: Annotated[str, Meta(max_length=200)] = ""
    """Group of the provider: its members have the right once they have signed in."""
    networks: Annotated[tuple[Word, ...], Meta(max_length=200)] = ()
    """Networks: anyone with an address in one of them has the right as long as they are there."""
    terms: Texts = {}
    """Terms: anyone who accepts this text has the right."""
    hours: Annotated[int, Meta(ge=1, le=12)] = 8
    """Hours for which the right is given at a time."""

    @property
    def kind(self) -> Kind:
        """Return what gives this right."""
        return "role" if self.group else "place" if self.networks else "terms"

    def holds_at(self, address: str) -> bool:
        """Return True if an address is in one of the networks."""
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return False
        mapped = getattr(found, "ipv4_mapped", None)
        return any((mapped or found) in ipaddress.ip_network(one) for one in self.networks)


class Access(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an `access.toml` says."""

    rights: Annotated[dict[str, Right], Meta(min_length=1, max_length=32)]
    provider: Provider | None = None
    origins: Annotated[tuple[Word, ...], Meta(max_length=200)] = ()
    """Sites whose pages may ask who somebody is to us; empty: any, where no right is a place's."""

    def allows(self, origin: str) -> bool:
        """Return True if pages of an origin may ask."""
        return bool(ORIGIN.fullmatch(origin)) and (not self.origins or origin in self.origins)


def read_access(content: bytes) -> Access:
    """Return what an `access.toml` says. Raises AccessRefused, with a sentence."""
    if len(content) > MAX_FILE_LENGTH:
        raise AccessRefused(f"it has {len(content):,} bytes, and may have {MAX_FILE_LENGTH:,}")
    try:
        access = msgspec.convert(tomllib.loads(content.decode()), Access)
    except (ValueError, RecursionError) as error:
        raise AccessRefused(str(error)) from None
    for fault in _find_faults(access):
        raise AccessRefused(fault)
    return access


def read_new_access(content: bytes) -> Access:
    """Return what an `access.toml` says that is to be used from now on.

    One that is in use may still say what was allowed when it was taken. Raises AccessRefused.
    """
    access = read_access(content)
    for fault in (*find_crowds(access.rights), *_find_newer_faults(access)):
        raise AccessRefused(fault)
    return access


def choose_text(texts: Mapping[str, str], languages: Sequence[str] = ()) -> str:
    """Return the text in the first of the languages that there is, else the first text; or ""."""
    for language in languages:
        main = language.partition("-")[0]
        for known, text in texts.items():
            if known.lower() in (language.lower(), main.lower()):
                return text
    return next(iter(texts.values()), "")


def _find_faults(access: Access) -> Iterator[str]:
    """Yield what is wrong with texts that have the right form."""
    if access.provider:
        yield from _find_provider_faults(access.provider)
    for origin in access.origins:
        if not ORIGIN.fullmatch(origin):
            yield f"{origin!r} is no origin, such as https://www.museum.org"
    for name, right in access.rights.items():
        yield from (f"rights.{name}: {fault}" for fault in _find_right_faults(name, right, access))


def find_crowds(rights: Mapping[str, Right]) -> Iterator[str]:
    """Yield a fault if somebody with all rights could get no ticket: of places, or of the others.

    Its names are in every address that a ticket is a part of.
    """
    places = [name for name, right in rights.items() if right.kind == "place"]
    others = [name for name in rights if name not in places]
    for names, network in ((places, "ffff:ffff:ffff:ffff"), (others, "")):
        characters = count_characters(names, network)
        if characters > MAX_TICKET_LENGTH:
            yield (
                f"a ticket of the {len(names)} rights {', '.join(names[:3])}, ... would have "
                f"{characters:,} characters, and may have {MAX_TICKET_LENGTH:,}: give them shorter "
                "names, or have fewer"
            )


def _find_newer_faults(access: Access) -> Iterator[str]:
    for origin in access.origins:
        if not _is_safe(urlsplit(origin)):
            yield f"the origin {origin} must be an https address: others could play its pages"
    for name, right in access.rights.items():
        for network in right.networks:
            found = ipaddress.ip_network(network)
            if any(one.version == found.version and one.overlaps(found) for one in _INSIDE):
                yield (
                    f"rights.{name}: {network} has addresses that nobody comes from: name the "
                    "public address with which the place goes to the internet"
                )


def _is_safe(address: SplitResult) -> bool:
    """Return True for https, and for http on this machine."""
    is_local = address.scheme == "http" and address.hostname in _THIS_MACHINE
    return address.scheme == "https" or is_local


def _find_provider_faults(provider: Provider) -> Iterator[str]:
    issuer = urlsplit(provider.issuer)
    if not _is_safe(issuer) or not issuer.hostname:
        yield f"the issuer must be an https address, not {provider.issuer!r}"
    if issuer.query or issuer.fragment or issuer.username:
        yield f"the issuer is an address without query, fragment and user: {provider.issuer!r}"
    if "openid" not in provider.scopes:
        yield "the scopes need openid"


def _find_right_faults(name: str, right: Right, access: Access) -> Iterator[str]:
    if not re.fullmatch(RIGHT, name):
        yield "a name has up to 32 of a-z, 0-9 and -, and begins with a letter"
    if name in RESERVED:
        yield "this name is a rule or a link, and no right's"
    if sum(map(bool, (right.group, right.networks, right.terms))) != 1:
        yield "it needs exactly one of group, networks and terms"
    if right.networks and not access.origins:
        # Nobody signs in there: a page of anybody's, open in the place, could take the images away.
        yield "networks need origins, the sites whose viewers may show its images"
    if right.group and not access.provider:
        yield "a group needs a [provider]"
    if not right.label:
        yield "it needs a label"
    if right.note and not right.heading:
        yield "a note needs a heading"
    yield from _find_foreign_words(right)
    yield from _find_network_faults(right.networks)


def _find_foreign_words(right: Right) -> Iterator[str]:
    """Yield what is no language, where one is expected."""
    for texts in (right.label, right.heading, right.note, right.confirm, right.terms):
        for language in texts:
            if not _LANGUAGE.fullmatch(language):
                yield f"{language!r} is no language, such as en or de-CH"


def _find_network_faults(networks: Sequence[str]) -> Iterator[str]:
    widths = {4: 0, 6: 0}
    for network in networks:
        try:
            found = ipaddress.ip_network(network)
        except ValueError as error:
            yield str(error)
            continue
        if isinstance(found, ipaddress.IPv6Network):
            if found.subnet_of(_MAPPED):
                yield f"{network} is of IPv4: write it as such"
            if found.prefixlen > MAX_IPV6_PREFIX_BITS:
                yield f"{network} is too narrow for a ticket: a /{MAX_IPV6_PREFIX_BITS} at least"
        widths[found.version] += found.num_addresses
        if widths[found.version] > 1 << (found.max_prefixlen - MIN_PREFIX_BITS[found.version]):
            yield f"{network} is too wide to be a place, alone or with the networks before it"
