"""Rights as museums write them, and the URIs that manifests name them by.

The Presentation API 3.0 (section 3.1, `rights`) wants the URIs of Creative Commons and
RightsStatements.org, with http. Only those that exist are rights.
"""

import re
from urllib.parse import urlsplit

_LICENCES = ("by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd")
_STATEMENTS = {
    "InC": "In Copyright",
    "InC-OW-EU": "In Copyright - EU Orphan Work",
    "InC-EDU": "In Copyright - Educational Use Permitted",
    "InC-NC": "In Copyright - Non-Commercial Use Permitted",
    "InC-RUU": "In Copyright - Rights-holder(s) Unlocatable or Unidentifiable",
    "NoC-CR": "No Copyright - Contractual Restrictions",
    "NoC-NC": "No Copyright - Non-Commercial Use Only",
    "NoC-OKLR": "No Copyright - Other Known Legal Restrictions",
    "NoC-US": "No Copyright - United States",
    "CNE": "Copyright Not Evaluated",
    "UND": "Copyright Undetermined",
    "NKC": "No Known Copyright",
}
"""Names and titles of RightsStatements.org."""
_ZERO = "http://creativecommons.org/publicdomain/zero/1.0/"
_MARK = "http://creativecommons.org/publicdomain/mark/1.0/"
_PUBLIC = {"cc0": _ZERO, "cc zero": _ZERO, "cc0 1.0": _ZERO, "cc-0": _ZERO, "cc0-1.0": _ZERO}
_PUBLIC |= dict.fromkeys(("public domain", "public domain mark", "pdm", "pd"), _MARK)
_NAMES = {_ZERO: "CC0 1.0, Public Domain Dedication", _MARK: "Public Domain Mark 1.0"}
_LICENCE = re.compile(r"cc[ -](by(?:-(?:nc|sa|nd)){0,2})(?:[ -](\d\.\d))?(?: international)?")
_FIRST = (
    *("by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nd-nc"),
    *("nc", "nd", "sa", "nc-sa", "nd-nc"),
)
"""Licences of version 1.0 (https://creativecommons.org/retiredlicenses/ has the second line)."""
_PORTS = {
    "1.0": "fi il nl",
    "2.0": "at au be br ca cl de es fr hr it jp kr nl pl tw uk za",
    "2.1": "au ca es jp",
    "2.5": (
        "ar au bg br ca ch cn co dk es hr hu il in it mk mt mx my nl pe pl pt scotland se si tw za"
    ),
    "3.0": (
        "am at au az br ca ch cl cn cr cz de ec ee eg es fr ge gr gt hk hr ie igo it lu nl no nz "
        "ph pl pr pt ro rs sg th tw ug us ve vn za"
    ),
    "4.0": "",
}
"""Jurisdictions that have a version of their own, by version.

Source: the licences that Creative Commons publishes, `docs/licenses` and `legacy/legalcode` of
https://github.com/creativecommons/cc-legal-tools-data.
"""
_RETIRED_PORT = "2.0/jp"
"""The only port that has the licences of _FIRST, too (the same source)."""
_PORTED_ONLY = "2.1"
_DEED = re.compile(r"(?:/(?:deed|legalcode)(?:[._-][^/]*)?)?/?", re.IGNORECASE)
"""Ends of the addresses of a licence's texts, after that of the licence."""
_LICENCE_PATH = re.compile(r"/licenses/([a-z-]+)/(\d\.\d)(?:/(?!deed|legalcode)([a-z]+))?")
_PUBLIC_PATH = re.compile(r"/publicdomain/(zero|mark)/1\.0")
_STATEMENT_PATH = re.compile(r"/(?:vocab|page|data)/([a-z-]+)/1\.0/?")


def rights_uri(text: str) -> str:
    """Return the URI for a licence or rights statement; "" for a text that is no known one.

    Takes names such as `CC BY-SA 4.0`, `CC0`, `InC`, and addresses of the two hosts as people copy
    them: with https, with www, of a translation, with the query of a licence chooser, with a space
    where a line was broken.
    """
    text = text.strip()
    try:
        address = urlsplit(text)
        host = (address.hostname or "").removeprefix("www.")
    except ValueError:
        return ""
    if address.scheme in ("http", "https"):
        find = _FINDERS.get(host)
        return find("".join(address.path.lower().split())) if find else ""
    name = " ".join(text.lower().split())
    if name in _PUBLIC:
        return _PUBLIC[name]
    licence = _LICENCE.fullmatch(name)
    if licence:
        return _find_licence(f"/licenses/{licence[1]}/{licence[2] or '4.0'}/")
    for statement, title in _STATEMENTS.items():
        if name in (statement.lower(), title.lower()):
            return _statement_uri(statement)
    return ""


def rights_name(uri: str) -> str:
    """Return what people call a licence or rights statement, in English; its URI if unknown."""
    if uri in _NAMES:
        return _NAMES[uri]
    path = urlsplit(uri).path
    if rights_uri(uri) != uri:
        return uri
    if found := _LICENCE_PATH.match(path):
        port = f" {found[3].upper()}" if found[3] else ""
        return f"CC {found[1].upper()} {found[2]}{port}"
    return _STATEMENTS[path.split("/")[2]]


def _find_licence(path: str) -> str:
    """Return the URI of a Creative Commons licence from a path in lower case."""
    if (found := _PUBLIC_PATH.match(path)) and _DEED.fullmatch(path, found.end()):
        return _ZERO if found[1] == "zero" else _MARK
    found = _LICENCE_PATH.match(path)
    if not found or not _DEED.fullmatch(path, found.end()):
        return ""
    name, version, port = found.groups()
    if version not in _PORTS or (port and port not in _PORTS[version].split()):
        return ""
    if not port and version == _PORTED_ONLY:
        return ""
    edition = f"{version}/{port}" if port else version
    if name not in _licence_names(version, edition):
        return ""
    return f"http://creativecommons.org/licenses/{name}/{edition}/"


def _licence_names(version: str, edition: str) -> tuple[str, ...]:
    """Return the licences of a version, or of its port."""
    if version == "1.0":
        return _FIRST
    return (*_LICENCES, *_FIRST) if edition == _RETIRED_PORT else _LICENCES


def _find_statement(path: str) -> str:
    """Return the URI of a rights statement from a path in lower case."""
    found = _STATEMENT_PATH.fullmatch(path)
    names = {name.lower(): name for name in _STATEMENTS}
    return _statement_uri(names[found[1]]) if found and found[1] in names else ""


def _statement_uri(name: str) -> str:
    return f"http://rightsstatements.org/vocab/{name}/1.0/"


_FINDERS = {"creativecommons.org": _find_licence, "rightsstatements.org": _find_statement}
