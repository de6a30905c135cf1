"""Rights as museums write them, and the URIs that manifests name them by."""

import re

_LICENCES = ("by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd")
_STATEMENTS = {
    "InC": "in copyright",
    "InC-OW-EU": "in copyright - eu orphan work",
    "InC-EDU": "in copyright - educational use permitted",
    "InC-NC": "in copyright - non-commercial use permitted",
    "InC-RUU": "in copyright - rights-holder(s) unlocatable or unidentifiable",
    "NoC-CR": "no copyright - contractual restrictions",
    "NoC-NC": "no copyright - non-commercial use only",
    "NoC-OKLR": "no copyright - other known legal restrictions",
    "NoC-US": "no copyright - united states",
    "CNE": "copyright not evaluated",
    "UND": "copyright undetermined",
    "NKC": "no known copyright",
}
"""Names and titles of RightsStatements.org."""
_ZERO = "http://creativecommons.org/publicdomain/zero/1.0/"
_MARK = "http://creativecommons.org/publicdomain/mark/1.0/"
_PUBLIC = {"cc0": _ZERO, "cc zero": _ZERO, "cc0 1.0": _ZERO, "cc-0": _ZERO, "cc0-1.0": _ZERO}
_PUBLIC |= dict.fromkeys(("public domain", "public domain mark", "pdm", "pd"), _MARK)
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
        if name in (statement.lower(), title):
            return f"http://rightsstatements.org/vocab/{statement}/1.0/"
    return ""


def _path(host: str, path: str) -> str:
    """Return the path of the URI: without the language of a translation, with a slash behind."""
    if host == "rightsstatements.org":
        path = path.replace("page/", "vocab/", 1).partition("?")[0]
    path = re.sub(r"/(deed|legalcode)[^/]*$", "", path.rstrip("/"))
    return path + "/"
