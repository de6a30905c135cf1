"""The theme: one TOML file with the site's name, languages, texts, colours and fonts."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from vitrine.errors import ThemeRefused
from vitrine.site.pages.strings import LANGUAGES
from vitrine.store.site_layout import THEME

DEFAULT = Path(__file__).with_name("theme.toml")
MAX_BYTES = 100_000
MIN_CONTRAST = 4.5
"""Contrast of text on its background (WCAG 2.2, criterion 1.4.3)."""
LOGO_TYPES = (".svg", ".png")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")
_FONT = r"""(?:"[\w '-]+"|'[\w -]+'|[\w-]+(?: [\w-]+)*)"""
_FONTS = re.compile(rf"{_FONT}(?:\s*,\s*{_FONT})*")
_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_LINK = re.compile(r"(?:https?://|mailto:)[^\s<>\"]+")
MAX_LINKS = 12
MAX_FONT_FILES = 8
MAX_FONT_BYTES = 500_000
_FAMILY = re.compile(r"[\w -]+")
_WEIGHT = re.compile(r"[1-9][0-9]{0,2}(?: [1-9][0-9]{0,2})?")
_FONT_FILE = re.compile(r"[\w.-]+\.woff2")
_WOFF2 = b"wOF2"
"""First bytes of a WOFF2 file (WOFF File Format 2.0, section 4.1)."""


class Colours(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Colours of one of the two schemes, as `#rrggbb`."""

    wall: str
    """Behind everything."""
    mat: str
    """Behind images."""
    ink: str
    """Colour of text."""
    quiet: str
    """Colour of text that is less important."""
    line: str
    accent: str
    """Colour of links, and around what has the focus."""


class Fonts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Lists of fonts, as CSS has them."""

    headings: str
    text: str


class FontFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A font of the institution's, which visitors get from the site."""

    family: str
    """Name by which lists of fonts name it."""
    file: str
    """Name of a WOFF2 file next to the theme's."""
    weight: str = "400"
    """One weight, or the least and the most of a variable font: `100 900`."""
    style: Literal["normal", "italic"] = "normal"


class FooterLink(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A link at the foot of every page, with label and address by language.

    A language that is missing has those of the site's first.
    """

    label: Mapping[str, str]
    address: Mapping[str, str]


class ThemeFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an institution says about itself and how its site looks."""

    name: str
    languages: tuple[str, ...]
    light: Colours
    dark: Colours
    fonts: Fonts
    logo: str = ""
    """Name of a file next to the theme's."""
    licence_page: str = ""
    """Address of a page about licences."""
    picture: str = ""
    """Identifier of the object whose picture is shown large on the first page; empty: the newest.
    """
    intro: Mapping[str, str] = {}
    about: Mapping[str, str] = {}
    font_files: tuple[FontFile, ...] = ()
    links: tuple[FooterLink, ...] = ()
    """Links to contact, imprint, privacy, accessibility and so on."""


class Theme(ThemeFile, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A theme, and what the site has of those before it."""

    dropped_suffixes: tuple[str, ...] = ()
    """Ends of the keys of pages in languages that the site had once, and no longer has."""

    @property
    def language(self) -> str:
        """The language whose pages have no language in their addresses."""
        return self.languages[0]

    def suffix(self, language: str) -> str:
        """Return what the keys of this language's pages have; the site's first has none."""
        return "" if language == self.language else language

    def footer(self, language: str) -> list[tuple[str, str]]:
        """Return label and address of each link at the foot of a language's pages."""
        first = self.language
        return [
            (
                one.label.get(language, one.label[first]),
                one.address.get(language, one.address[first]),
            )
            for one in self.links
        ]

    def replacing(self, earlier: "Theme") -> "Theme":
        """Return this theme in the place of an earlier one."""
        once = {*earlier.dropped_suffixes, *map(earlier.suffix, earlier.languages)}
        dropped = once - {*map(self.suffix, self.languages)}
        return msgspec.structs.replace(self, dropped_suffixes=tuple(sorted(dropped)))

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that it has in the site's bucket."""
        own = [self.logo_file] if self.logo else []
        return ("theme.json", "theme.css", *own, *(font.file for font in self.font_files))

    @property
    def logo_file(self) -> str:
        """The name of the logo among the theme's files, or empty."""
        return f"logo{Path(self.logo).suffix.lower()}" if self.logo else ""


def read_theme(path: Path) -> Theme:
    """Return the theme of a TOML file. Raises ThemeRefused."""
    try:
        data = path.read_bytes()
        if len(data) > MAX_BYTES:
            raise ThemeRefused(f"{path}: a theme has at most {MAX_BYTES:,} bytes.")
        file = msgspec.convert(tomllib.loads(data.decode()), ThemeFile)
        theme = Theme(**msgspec.structs.asdict(file))
    except OSError as error:
        raise ThemeRefused(f"{path} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeRefused(f"{path} is no TOML file: {error}.") from None
    except msgspec.ValidationError as error:
        raise ThemeRefused(f"{path}: {error}.") from None
    if fault := _find_fault(theme):
        raise ThemeRefused(f"{path}: {fault}")
    if theme.logo and not (path.parent / theme.logo).is_file():
        raise ThemeRefused(f"{path}: there is no file {theme.logo} next to it.")
    for font in theme.font_files:
        if fault := _find_file_fault(path.parent / font.file):
            raise ThemeRefused(f"{path}: {fault}")
    return theme


def write_stylesheet(theme: Theme) -> str:
    """Return the CSS that sets the theme's colours and fonts."""
    both = [
        f"  --{name}: light-dark({getattr(theme.light, name)}, {getattr(theme.dark, name)});"
        for name in Colours.__struct_fields__
    ]
    logo = [f'  --logo: url("/{THEME}{theme.logo_file}");'] if theme.logo else []
    fonts = [f"  --serif: {theme.fonts.headings};", f"  --sans: {theme.fonts.text};"]
    faces = [
        f'@font-face {{ font-family: "{font.family}"; src: url("/{THEME}{font.file}") '
        f'format("woff2"); font-weight: {font.weight}; font-style: {font.style}; '
        # Text that was painted keeps its font, so that nothing moves.
        "font-display: optional; }"
        for font in theme.font_files
    ]
    return "\n".join([*faces, ":root {", *both, *fonts, *logo, "}"]) + "\n"


def _find_fault(theme: Theme) -> str:
    """Return the first rule that a theme breaks, as a sentence; "" for none."""
    if not theme.name.strip():
        return "the site has a name."
    if unknown := [one for one in theme.languages if one not in LANGUAGES]:
        return f"{unknown[0]} is no language of the site: there are {', '.join(LANGUAGES)}."
    if not theme.languages or len(set(theme.languages)) < len(theme.languages):
        return "languages has at least one language, and each once."
    if theme.logo and (Path(theme.logo).suffix.lower() not in LOGO_TYPES):
        return "a logo is an SVG or PNG file."
    if theme.licence_page and not _ADDRESS.fullmatch(theme.licence_page):
        return f"licence_page is no address: {theme.licence_page}."
    if fault := _find_link_fault(theme) or _find_font_fault(theme):
        return fault
    for name in Fonts.__struct_fields__:
        if not _FONTS.fullmatch(getattr(theme.fonts, name)):
            return f"fonts.{name} is no list of names of fonts."
    return _find_colour_fault("light", theme.light) or _find_colour_fault("dark", theme.dark)


def _find_link_fault(theme: Theme) -> str:
    if len(theme.links) > MAX_LINKS:
        return f"there are at most {MAX_LINKS} links."
    for place, link in enumerate(theme.links, start=1):
        for name in ("label", "address"):
            by_language = getattr(link, name)
            if unknown := sorted(by_language.keys() - set(LANGUAGES)):
                return f"link {place}: {unknown[0]} is no language of the site."
            if not by_language.get(theme.language, "").strip():
                return f"link {place} has no {name} in the site's first language, {theme.language}."
        if wrong := [one for one in link.address.values() if not _LINK.fullmatch(one)]:
            return f"link {place}: {wrong[0]} is no address of a page or mailto: address."
    return ""


def _find_font_fault(theme: Theme) -> str:
    if len(theme.font_files) > MAX_FONT_FILES:
        return f"there are at most {MAX_FONT_FILES} font_files."
    for font in theme.font_files:
        if not _FAMILY.fullmatch(font.family):
            return f"{font.family} is no name of a font: letters, digits, spaces and - are."
        if not _FONT_FILE.fullmatch(font.file):
            return f"{font.file} is no name of a WOFF2 file, such as museum-serif.woff2."
        if not _WEIGHT.fullmatch(font.weight):
            return f"{font.weight} is no weight of a font: 400 is, or 100 900 of a variable font."
    return ""


def _find_file_fault(path: Path) -> str:
    if not path.is_file():
        return f"there is no file {path.name} next to it."
    if path.stat().st_size > MAX_FONT_BYTES:
        return f"{path.name} has more than {MAX_FONT_BYTES:,} bytes: leave out some of its signs."
    with path.open("rb") as file:
        is_woff2 = file.read(len(_WOFF2)) == _WOFF2
    return "" if is_woff2 else f"{path.name} is no WOFF2 file."


def _find_colour_fault(scheme: str, colours: Colours) -> str:
    for name in Colours.__struct_fields__:
        if not _COLOUR.fullmatch(getattr(colours, name)):
            return f"{scheme}.{name} is no colour such as #24211d."
    for front in ("ink", "quiet", "accent"):
        for back in ("wall", "mat"):
            ratio = contrast(getattr(colours, front), getattr(colours, back))
            if ratio < MIN_CONTRAST:
                return (
                    f"{scheme}.{front} on {scheme}.{back} has a contrast of {ratio:.1f} : 1; "
                    f"text needs {MIN_CONTRAST} : 1 to be read by everybody."
                )
    return ""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2, "contrast ratio")."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
