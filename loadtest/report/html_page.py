"""One page of HTML that needs nothing else: no network, no script; light, dark and paper."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1a1a1a;--faint:#d4d4d4;--bad:#b91c1c;
--s0:#0b62a4;--s1:#c2410c;--s2:#15803d;--s3:#7e22ce}
@media screen and (prefers-color-scheme:dark){:root{--paper:#161616;--ink:#e8e8e8;--faint:#4a4a4a;
--bad:#f87171;--s0:#6cb4ee;--s1:#fb923c;--s2:#4ade80;--s3:#c084fc}}
body{font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:64rem;margin:2rem auto;padding:0 1rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:1rem 0;font-size:.875rem}
caption{text-align:left;font-weight:600;padding:.25rem 0}
th,td{border-bottom:1px solid var(--faint);padding:.2rem 0 .2rem .75rem;text-align:right;
font-variant-numeric:tabular-nums;white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0}
.bad{color:var(--bad);font-weight:600}
figure{margin:1.5rem 0;break-inside:avoid}
figcaption{font-weight:600}
svg{width:100%;height:auto;font-size:11px;fill:var(--ink)}
.end{text-anchor:end}
.s0{fill:var(--s0)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8125rem}
tr,caption{break-inside:avoid}
@media print{:root{color-scheme:light}body{max-width:none;margin:0;font-size:9pt}
.wide{overflow:visible}table{font-size:7.5pt}.many{font-size:6.5pt}
th{white-space:normal}th,td{padding-left:.6em}.many th,.many td{padding-left:.4em}
rect,polyline,circle{print-color-adjust:exact}}
"""


_MANY = 11
"""Columns; more need smaller letters on paper."""


def page(title: str, parts: Sequence[str]) -> str:
    """The page; parts come from the functions below, or are SVG."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def heading(words: str) -> str:
    """Of a section."""
    return f"<h2>{escape(words)}</h2>"


def paragraph(words: str, *, bad: bool = False) -> str:
    """Plain words, in red where they say that the figures prove nothing."""
    return f"<p{_BAD if bad else ''}>{escape(words)}</p>"


def figure(caption: str, svg: str) -> str:
    """A chart."""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{svg}</figure>"


def table(
    caption: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    bad: frozenset[tuple[int, int]] = frozenset(),
) -> str:
    """Cells come formatted; `bad` are the places, row and column, of those to be in red."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{_BAD if (down, across) in bad else ''}>{escape(cell)}</td>"
            for across, cell in enumerate(row)
        )
        + "</tr>"
        for down, row in enumerate(rows)
    )
    many = ' class="many"' if len(header) > _MANY else ""
    return (
        f'<div class="wide"><table{many}><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>"
    )


def machine(values: Mapping[str, Any]) -> str:
    """What it was measured on."""
    lines = "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in values.items())
    return f"<pre>{escape(lines)}</pre>"


_BAD = ' class="bad"'
