"""Addresses as the world writes them: valid, odd but valid, wrong, hostile. Seeded."""

import random

IDENTIFIERS = ("a", "dot", "huge", "ark:/12148/btv1b é", "old", "lost", "unknown", "Ünïcode+(1)!")
VERSIONS = ("3", "3", "3", "2", "2", "2", "", "", "4", "%33", "v3")
REGIONS = (
    *("full", "square", "0,0,256,256", "000,0,0256,256", "1024,768,300,300", "0,0,1300,1000"),
    *(
        "0,0,0,10",
        "9999999,0,1,1",
        "pct:0,0,100,100",
        "pct:0.0,00,100.0,0100.000",
        "pct:0,0,150,200",
    ),
    *(
        "pct:00.5,0.5,49.90,50",
        "pct:0,0,99.999,100",
        "pct:0,0,0,0",
        "pct:100,0,1,1",
        "pct:0,0,100",
    ),
    *("pct:-1,0,5,5", "1,2,3", "1,2,3,4,5", "Full", "FULL", "-1,0,5,5", "1.5,0,5,5", "1e3,0,5,5"),
    *("1234567890,0,5,5", "pct:1." + "3" * 21 + ",0,5,5", "", "+1,0,5,5"),
    *("\u0661,0,5,5", "PCT:0,0,9,9"),
)
SIZES = (
    *("full", "max", "^max", "^full", "256,256", "0256,00256", "256,", ",256", "^256,", "^,256"),
    *(
        "^2000,",
        "^2000,3000",
        "!200,300",
        "^!2000,2000",
        "!200,",
        "!,",
        ",",
        "",
        "0,",
        "0,0",
        "!0,5",
    ),
    *("pct:100", "pct:100.0", "^pct:100", "pct:50", "^pct:050.50", "^pct:150", "pct:150", "^pct:0"),
    *("pct:100.00000000000000000001", "^pct:100.00000000000000000001", "pct:", "pct:1e2", "pct:+5"),
    *("^^max", "!max", "^", "10000,10000", "65501,1", "99999999,99999999", "1,2,3", "1 ,2", "MAX"),
)
ROTATIONS = (
    *(
        "0",
        "0",
        "0",
        "90",
        "180",
        "270",
        "360",
        "!0",
        "!360",
        "0.0",
        "090",
        "360.000",
        "00.0",
        "!90.0",
    ),
    *("45", "22.5", "361", "360.5", "90.00000000000000000001", "-90", "!!0", "", "!", ".0", "90."),
)
LASTS = (
    *(
        "default.jpg",
        "default.jpg",
        "default.jpg",
        "color.jpg",
        "color.png",
        "gray.webp",
        "bitonal.gif",
        "default.avif",
        "default.jxl",
        "default.jxr",
    ),
    *(
        "default.tif",
        "native.jpg",
        "Default.jpg",
        "default.JPG",
        "default.jp2",
        "default",
        "color.",
    ),
    *(".jpg", "a.b.jpg", "default.jpg.jpg", "grey.jpg", ""),
)
HOSTILE = (
    *(
        "..",
        ".",
        "%2e%2e",
        "%2E",
        "%2e%2e%2f",
        "..%2f..%2fetc%2fpasswd",
        "..%5c..",
        "%252e%252e%252f",
    ),
    *(
        "%00",
        "a%00.jpg",
        "%0d%0aSet-Cookie:x=1",
        "%7f",
        "%",
        "%zz",
        "%4",
        "%c0%af",
        "%ff",
        "%ed%a0%80",
    ),
    *("a\\..\\b", "é", "\x7f", "<script>", "{}", "%23", "#x", ";jsessionid=1", "~", "...", "..."),
)
MANIFESTS: tuple[tuple[str, ...], ...] = (
    *(("manifest.json",), ("manifest.json",), ("manifest.json",), ("%6Danifest.json",), ()),
    *(("manifest",), ("collection.json",), ("a", "manifest.json"), ("manifest.json", "a")),
    *(("collection-12.json",), ("collection-0.json",), ("collection-1.json%0A",)),
    *(("text-12.json",), ("text-0.json",), ("text.json",), ("text-1.json%0A",)),
    *(("annotations-12.json",), ("annotations-0.json",), ("annotations.json",)),
    *(("object.pdf",), ("text.txt",), ("object.txt",), ("text.txt%0A",)),
)
"""Paths that may follow an identifier below `/presentation/`, and paths that may not."""


def addresses(count: int, seed: int) -> list[str]:
    """`count` paths, with their leading slash and without a query."""
    chance = random.Random(seed)
    return [_address(chance) for _ in range(count)]


def _address(chance: random.Random) -> str:
    version = chance.choice(VERSIONS)
    identifier = _spelled(chance, chance.choice(IDENTIFIERS), "/%")
    manifest = chance.random() < 0.1
    rest = chance.choice(MANIFESTS) if manifest else _rest(chance)
    root = "presentation" if manifest else "iiif"
    parts = [root, *([version] if version else []), identifier, *rest]
    if chance.random() < 0.15:
        parts[chance.randrange(len(parts))] = chance.choice(HOSTILE)
    if chance.random() < 0.05:
        parts.insert(
            chance.randrange(1, len(parts) + 1),
            chance.choice(("", "x", "..", "info.json", "download.jpg")),
        )
    if chance.random() < 0.04:
        del parts[chance.randrange(1, len(parts))]
    if chance.random() < 0.01:
        parts[-1] = parts[-1] + "x" * 2100
    path = "/" + "/".join(parts) + chance.choice(("", "", "", "", "", "/", "//"))
    return _torn(chance, path) if chance.random() < 0.1 else path


def _rest(chance: random.Random) -> list[str]:
    kind = chance.random()
    if kind < 0.05:
        return []
    if kind < 0.15:
        return [chance.choice(("info.json", "info.json", "download.jpg"))]
    wild = chance.random() < 0.6
    choices = [REGIONS, SIZES, ROTATIONS, LASTS]
    # Half of them are tame, or nearly everything would be refused for one part or another.
    tame = [REGIONS[:12], SIZES[:8], ROTATIONS[:14], LASTS[:7]]
    return [
        _spelled(chance, chance.choice(all_ if wild and chance.random() < 0.4 else some), "/% ")
        for all_, some in zip(choices, tame, strict=True)
    ]


def _spelled(chance: random.Random, text: str, always: str) -> str:
    """Percent-encoded as one must, and sometimes more than that, in either case."""
    more = chance.choice((0.0, 0.0, 0.0, 0.2, 1.0))
    return "".join(_escaped(chance, letter, always, more) for letter in text)


def _escaped(chance: random.Random, letter: str, always: str, more: float) -> str:
    if letter not in always and letter.isascii() and chance.random() >= more:
        return letter
    octets = "".join(f"%{octet:02x}" for octet in letter.encode())
    return octets.upper() if chance.random() < 0.7 else octets


def _torn(chance: random.Random, path: str) -> str:
    """With one character more, fewer or another."""
    place = chance.randrange(min(6, len(path) - 1), len(path))
    middle = chance.choice(("", chance.choice("%/.,!^:;+ 09aZ\\")))
    return path[:place] + middle + path[place + chance.randrange(2) :]
