"""Rights as museums write them, and the URIs that manifests name them by."""

import re

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
_LICENCE_URI = re.compile(
    r"http://creativecommons\.org/licenses/([a-z-]+)/(\d\.\d)/(?:([a-z]{2,3})/)?"
)
_STATEMENT_URI = re.compile(r"http://rightsstatements\.org/vocab/([A-Za-z-]+)/1\.0/")
_LICENCE = re.compile(r"cc[ -](by(?:-(?:nc|sa|nd)){0,2})(?:[ -](\d\.\d))?(?: international)?")
_HOSTS = re.compile(r"https?://(?:www\.)?(creativecommons\.org|rightsstatements\.org)/(\S+)")


def rights_uri(text: str) -> str:
    """Return the URI for a licence or rights statement; "" for a text that is no known one.

    Takes URIs with https or www, and names such as `CC BY-SA 4.0`, `CC0`, `InC`.
    """
    if found := _HOSTS.fullmatch(text.strip()):
        return f"http://{found[1]}/{_path(found[1], found[2])}"
    name = " ".join(text.lower().split())
    if name in _PUBLIC:
        return _PUBLIC[name]
    licence = _LICENCE.fullmatch(name)
    if licence and licence[1] in _LICENCES:
        return f"http://creativecommons.org/licenses/{licence[1]}/{licence[2] or '4.0'}/"
    for statement, title in _STATEMENTS.items():
        if name in (statement.lower(), title.lower()):
            return f"http://rightsstatements.org/vocab/{statement}/1.0/"
    return ""


def rights_name(uri: str) -> str:
    """Return what people call a licence or rights statement, in English; its URI if unknown."""
    if uri in _NAMES:
        return _NAMES[uri]
    if found := _LICENCE_URI.fullmatch(uri):
        port = f" {found[3].upper()}" if found[3] else ""
        return f"CC {found[1].upper()} {found[2]}{port}"
    if (found := _STATEMENT_URI.fullmatch(uri)) and found[1] in _STATEMENTS:
        return _STATEMENTS[found[1]]
    return uri


def _path(host: str, path: str) -> str:
    """Return the path of the URI: without the language of a translation, with a slash behind."""
    if host == "rightsstatements.org":
        path = path.replace("page/", "vocab/", 1).partition("?")[0]
    path = re.sub(r"/(deed|legalcode)[^/]*$", "", path.rstrip("/"))
    return path + "/"
