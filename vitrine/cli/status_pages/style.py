"""How a status page looks, how it is made anew in a browser, and what a browser may do with it."""

from base64 import b64encode
from hashlib import sha256

from vitrine.migrate.page import STYLE as REPORT_STYLE

STYLE = (
    REPORT_STYLE
    + """
:root { --running: #2f6fb5; --queued: #6a6a70; --withdrawn: #8a63b8; --dead-letters: #c4322b;
  --mat: #f0f0f2; }
@media (prefers-color-scheme: dark) { :root { --running: #7ab0ea; --queued: #a0a0a8;
  --withdrawn: #a888d0; --dead-letters: #ea6a62; --mat: #232326; } }
h1 small { font-size: 1rem; font-weight: 400; color: var(--faint); margin-left: .4rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; } h3 b { margin-right: .4rem; }
p { margin: .4rem 0; }
a { color: inherit; }
ul.counts { list-style: none; padding: 0; margin: 1rem 0; display: grid; gap: .6rem;
  grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); }
ul.counts li { border: 1px solid var(--line); border-top: .25rem solid; border-radius: .3rem;
  padding: .5rem .7rem; font-size: .85rem; }
ul.counts b { display: block; font-size: 1.7rem; line-height: 1.2; color: var(--ink);
  font-variant-numeric: tabular-nums; }
ul.counts .queued { border-top-color: var(--queued); }
ul.counts .running { border-top-color: var(--running); }
ul.counts .published { border-top-color: var(--published); }
ul.counts .rejected { border-top-color: var(--rejected); }
ul.counts .failed { border-top-color: var(--failed); }
ul.counts .withdrawn { border-top-color: var(--withdrawn); }
ul.counts .dead-letters { border-top-color: var(--dead-letters); }
ul.counts .none { color: var(--faint); border-top-color: var(--line); }
ul.counts li.none b { color: var(--faint); font-weight: 400; }
.trouble { border: 2px solid var(--failed); border-radius: .3rem; padding: .6rem .8rem; }
.advice { font-weight: 600; }
pre { margin: .5rem 0; padding: .6rem .8rem; background: var(--mat); white-space: pre-wrap;
  overflow-wrap: anywhere; font-size: .875rem; font-family: ui-monospace, monospace; }
td, th { unicode-bidi: isolate; } th.when, td.when { width: 11.5rem; white-space: nowrap; }
ul.images { list-style: none; padding: 0; margin: .6rem 0 2rem; display: grid; gap: 1.2rem 1rem;
  grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); }
ul.images li { overflow-wrap: anywhere; break-inside: avoid; }
ul.images small { display: block; color: var(--faint); }
.mat { display: flex; align-items: center; justify-content: center; aspect-ratio: 1;
  background: var(--mat); margin-bottom: .4rem; color: var(--faint); }
.mat img { max-width: 100%; max-height: 100%; }
@media (max-width: 40rem) { th.when, td.when { width: 6rem; white-space: normal; } }
@media print { :root { color-scheme: light; --mat: #f4f4f4; }
  ul.counts { grid-template-columns: repeat(7, 1fr); gap: .3rem; }
  ul.counts li { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  ul.images { grid-template-columns: repeat(6, 1fr); } h2, h3 { break-after: avoid; } }
"""
)

SCRIPT = """
const unanswered = document.getElementById('unanswered');
let next = 0;
function later() {
  clearTimeout(next);
  next = setTimeout(again, 1000 * document.querySelector('main').dataset.seconds);
}
async function again() {
  if (document.hidden) return;
  clearTimeout(next);
  try {
    const answer = await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(120000) });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    document.querySelector('main').replaceWith(page.querySelector('main'));
    document.title = page.title;
    unanswered.hidden = true;
  } catch {
    unanswered.hidden = false;
  }
  later();
}
later();
document.addEventListener('visibilitychange', again);
"""
"""Whoever does not look costs nothing: a hidden page does not ask."""


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; img-src data:; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)}; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Content-Security-Policy: nothing is loaded, and no script but ours runs."""
