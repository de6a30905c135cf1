"""Names of languages and directions, as formats of OCR spell them."""

from vitrine.text.transcription.page_text import Direction

_NAMES = {
    "arabic": "ar",
    "chinese": "zh",
    "czech": "cs",
    "danish": "da",
    "dutch": "nl",
    "english": "en",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "greek": "el",
    "hebrew": "he",
    "hungarian": "hu",
    "italian": "it",
    "japanese": "ja",
    "latin": "la",
    "norwegian": "no",
    "persian": "fa",
    "polish": "pl",
    "portuguese": "pt",
    "russian": "ru",
    "spanish": "es",
    "swedish": "sv",
    "syriac": "syr",
    "turkish": "tr",
    "yiddish": "yi",
}
"""Names in PAGE XML, which has those of ISO 639 in English."""
_CODES = {
    "ara": "ar",
    "ces": "cs",
    "cze": "cs",
    "dan": "da",
    "deu": "de",
    "dut": "nl",
    "ell": "el",
    "eng": "en",
    "fin": "fi",
    "fra": "fr",
    "fre": "fr",
    "ger": "de",
    "heb": "he",
    "hun": "hu",
    "ita": "it",
    "lat": "la",
    "nld": "nl",
    "nor": "no",
    "pol": "pl",
    "por": "pt",
    "rus": "ru",
    "spa": "es",
    "swe": "sv",
}
"""Codes of three letters, as Tesseract and ALTO write them, where BCP 47 has one of two."""
_DIRECTIONS: dict[str, Direction] = {
    "ltr": "ltr",
    "rtl": "rtl",
    "ttb": "ttb",
    "btt": "btt",
    "left-to-right": "ltr",
    "right-to-left": "rtl",
    "top-to-bottom": "ttb",
    "bottom-to-top": "btt",
}


def read_language(text: str | None) -> str:
    """Return the tag of BCP 47 for a name or code; empty for none and for what is unknown."""
    name = (text or "").strip().lower().replace("_", "-")
    first, hyphen, rest = name.partition("-")
    if name in _NAMES:
        return _NAMES[name]
    if name == "unknown" or not (2 <= len(first) <= 3 and first.isascii() and first.isalpha()):
        return ""
    if not rest.replace("-", "").isalnum() or not rest.isascii() or len(rest) > 30:
        return _CODES.get(first, first)
    return f"{_CODES.get(first, first)}{hyphen}{rest}"


def read_direction(text: str | None) -> Direction:
    """Return a direction; empty for none and for what is unknown."""
    return _DIRECTIONS.get((text or "").strip().lower(), "")
