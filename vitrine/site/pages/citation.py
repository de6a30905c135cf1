"""How an object is cited: as a line of text, in BibTeX and in RIS.

Sources: the btxdoc of BibTeX 0.99d; the RIS format specification (Reference Manager, 2011).
"""

import re
import unicodedata
from dataclasses import dataclass

from vitrine.iiif.presentation.model import PublishedObject
from vitrine.site.pages.frame import Site
from vitrine.site.pages.object_view import Wordings
from vitrine.text.object_facts import Fact, find_facts
from vitrine.text.text_or_html import plain_text

_YEAR_OF_EDTF = re.compile(r"(-?[0-9]{4})(?:-[0-9]{2}){0,2}[?~%]?(?:/.*)?")
_YEAR = re.compile(r"(?<![0-9.,])(1[0-9]{3}|20[0-9]{2})(?![0-9])")
_LATEX = {
    "\\": r"\textbackslash{}",
    # BibTeX counts escaped braces as well.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "$&#%_"},
}
_LATEX_SIGNS = str.maketrans(_LATEX)


@dataclass(frozen=True, kw_only=True)
class Citation:
    """What a citation of an object names, in plain text of one line; empty: not known."""

    key: str
    title: str
    makers: tuple[str, ...] = ()
    date: str = ""
    institution: str = ""
    number: str = ""
    address: str

    @property
    def year(self) -> str:
        """The year in which its date begins, with a minus before Christ; "" if it names none."""
        found = _YEAR_OF_EDTF.fullmatch(self.date) or _YEAR.search(self.date)
        return found[1] if found else ""

    @property
    def source(self) -> str:
        """The citation without the address."""
        work = ", ".join(filter(None, ("; ".join(self.makers), self.title, self.date)))
        place = ", ".join(filter(None, (self.institution, self.number)))
        return ". ".join(part.removesuffix(".") for part in (work, place) if part)

    @property
    def text(self) -> str:
        """The citation as a sentence."""
        return f"{self.source}. {self.address}"

    @property
    def bibtex(self) -> str:
        """The citation as an entry of BibTeX."""
        fields = {
            "author": " and ".join(map(_write_name, self.makers)),
            "title": f"{{{_escape_latex(self.title)}}}",
            "year": self.year or _escape_latex(self.date),
            "howpublished": _escape_latex(self.institution),
            "note": _escape_latex(self.number),
            "url": self.address,
        }
        lines = (f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
        return f"@misc{{{self.key},\n{''.join(lines)}}}\n"

    @property
    def ris(self) -> str:
        """The citation as a record of RIS."""
        year = self.year if self.year.isdecimal() else ""
        # Of a date, the fourth part is free: year, month, day, and words without a slash.
        words = self.date.replace("/", "-") if self.date != year else ""
        fields = (
            ("TY", "GEN"),
            *(("AU", name.replace("*", " ")) for name in self.makers),
            ("TI", self.title),
            ("PY", year),
            ("DA", words and f"{year}///{words}"),
            ("DP", self.institution),
            ("CN", self.number),
            ("UR", self.address),
        )
        lines = [f"{tag}  - {value}\r\n" for tag, value in fields if value]
        return f"{''.join(lines)}ER  - \r\n"


def cite_object(item: PublishedObject, words: Wordings, site: Site, path: str) -> Citation:
    """Return the citation of an object whose page is at a path; `words` are those of the page."""
    facts = find_facts(line.label for line in item.metadata)
    values = {fact: words.metadata[place][1] for fact, place in facts.items()}
    found = {fact: tuple(map(plain_text, value.values)) for fact, value in values.items()}
    institution = words.providers[0][0].plain if words.providers else site.theme.name
    return Citation(
        key=_make_key(item.identifier),
        title=words.title.plain,
        makers=found.get(Fact.MAKER, ()),
        date="; ".join(found.get(Fact.DATE, ())),
        institution=institution,
        number="; ".join(found.get(Fact.NUMBER, ())),
        address=site.base + path,
    )


def _make_key(identifier: str) -> str:
    """Return the key of an entry: letters without accents, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", identifier).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-") or "object"


def _write_name(name: str) -> str:
    """Return a name as it is, where a comma says which part is the family's; else as one word."""
    family, comma, given = name.partition(", ")
    is_divided = comma and family and given and "," not in given and " and " not in name
    escaped = _escape_latex(name)
    return escaped if is_divided else f"{{{escaped}}}"


def _escape_latex(text: str) -> str:
    return text.translate(_LATEX_SIGNS)
