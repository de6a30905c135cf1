"""Search without a server: what each way costs to build, to keep up to date, and to ask.

    npm install --prefix runs/rivals pagefind@1.6.0 minisearch@7.2.0
    python -m tests.benchmarks.site_search [--objects 100000] [--rivals runs/rivals]
        [--only ours,pagefind] [--raw runs/site-search.json]

Objects are made up (search_corpus.py). Each index is built in a process of its own, once more after
one object's label changed, and once more with one object more: files that then differ are those to
write; ours are with the lists of the facets that these objects have. Queries run in Chromium, its
CPU throttled four times, against nginx on this machine by HTTP/2, which compresses as the edge
does: once with this machine's network, once with a slow 4G's (150 ms, 1.6 Mbit/s). Cold is the
first query of a fresh profile with all it loads, warm a query in a page that has had another; each
of five rounds asks all of them, in the same order. Without --rivals only our own is measured. A
rival whose index takes more than ten minutes, or whose query more than one, is given up and noted.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, sync_playwright

from loadtest.figures.order_statistics import median
from loadtest.rigs.free_port import free_ports
from tests.benchmarks.search_builds import write_corpus
from tests.benchmarks.search_corpus import queries
from tests.e2e.conftest import CHROMIUM, CHROMIUM_ARGUMENTS
from vitrine.local.site_bundle import find_bundler

ROOT = Path(__file__).parents[2]
NAMES = ("ours", "pagefind", "minisearch")
THROTTLING, ROUNDS = 4, 5
LARGE = 10_000
"""Files of a rival's index, beyond which its changed versions are not built."""
LONGEST_SECONDS = 60
"""For one query; what takes longer is not waited for."""
NETWORKS = {
    "here": None,
    "slow 4G": {
        "offline": False,
        "latency": 150,
        "downloadThroughput": 1_600_000 / 8,
        "uploadThroughput": 750_000 / 8,
    },
}
NGINX = """
pid nginx.pid; error_log error.log; events {{}} daemon off;
http {{
  access_log off; include /etc/nginx/mime.types; gzip on; gzip_min_length 1000;
  gzip_types application/json text/javascript;
  ssl_certificate key.pem; ssl_certificate_key key.pem; http2_max_concurrent_streams 128;
  server {{
    listen 127.0.0.1:{port} ssl http2; root {folder};
    location = / {{ try_files /page.html =404; }}
  }}
}}
"""
PAGE = '<!doctype html><ol></ol><script type="module" src="/search_pages.js"></script>'
CERTIFICATE = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]


def build(name: str, rivals: Path, corpus: Path, change: str, out: Path) -> dict[str, float]:
    """Build an index in a process of its own; return CPU seconds and peak memory in MiB."""
    code = "from tests.benchmarks.search_builds import *; print(build_index("
    arguments = ", ".join(map(repr, (name, str(rivals), str(corpus), change, str(out))))
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", f"{code}{arguments}))"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found | {"seconds": round(time.monotonic() - began, 1)}


def file_digests(folder: Path) -> dict[str, str]:
    """Return a digest of each file below a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def measure_build(name: str, rivals: Path, corpus: Path, out: Path) -> dict[str, Any]:
    """Build an index and its two changed versions; return what that took and what changed."""
    found: dict[str, Any] = dict(build(name, rivals, corpus, "", out))
    if "given_up_after_seconds" in found:
        return found
    before = file_digests(out)
    found["files"] = len(before)
    found["bytes"] = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    # Those of others take many minutes each.
    changes = ("label", "insert") if name == "ours" or len(before) <= LARGE else ()
    for change in changes:
        changed = out.with_name(f"{name}-{change}")
        build(name, rivals, corpus, change, changed)
        after = file_digests(changed)
        different = [key for key, digest in after.items() if before.get(key) != digest]
        found[change] = {
            "files": len(different),
            "bytes": sum((changed / key).stat().st_size for key in different),
        }
        shutil.rmtree(changed)
    return found


def bundle_search(folder: Path) -> None:
    """Write what reads our index as one small file, as the site has it."""
    options = ("--bundle", "--minify", "--format=esm", "--target=esnext", "--log-level=warning")
    written = f"--outfile={folder / 'index.js'}"
    script = str(ROOT / "site/search/index.js")
    subprocess.run([str(find_bundler()), script, written, *options], check=True)


@contextmanager
def web_server(folder: Path) -> Iterator[str]:
    """Serve a folder; yield its address."""
    port = free_ports(1)[0]
    key = folder / "key.pem"
    made = [*CERTIFICATE, "-keyout", key, "-out", folder / "certificate.pem"]
    subprocess.run(made, check=True, capture_output=True)
    key.write_text((folder / "certificate.pem").read_text() + key.read_text())
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(port=port, folder=folder))
    process = subprocess.Popen(
        ["nginx", "-p", str(folder), "-c", str(configuration)], stderr=subprocess.DEVNULL
    )
    time.sleep(1)
    try:
        yield f"https://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


class _Traffic:
    """Counts what a page and its workers fetch."""

    def __init__(self, session: CDPSession) -> None:
        self.requests = self.bytes = 0
        session.send("Network.enable")
        session.on("Network.loadingFinished", self._count)

    def _count(self, event: dict[str, Any]) -> None:
        self.requests += 1
        self.bytes += int(event["encodedDataLength"])

    def taken(self) -> dict[str, int]:
        taken = {"requests": self.requests, "bytes": self.bytes}
        self.requests = self.bytes = 0
        return taken


ASK = """async ([text, longest]) => {
  const none = {found: -1, first: longest * 1000, milliseconds: longest * 1000, shown: 0};
  const late = new Promise((resolve) => setTimeout(() => resolve(none), longest * 1000));
  return Promise.race([window.search(text), late]);
}"""


def ask(browser: Browser, address: str, name: str, network: str) -> list[dict[str, Any]]:
    """Return what each query took in a fresh profile: the first is cold."""
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    session = context.new_cdp_session(page)
    traffic = _Traffic(session)
    page.goto(f"{address}/?{name}")
    page.wait_for_function("window.search !== undefined")
    session.send("Emulation.setCPUThrottlingRate", {"rate": THROTTLING})
    if conditions := NETWORKS[network]:
        session.send("Network.emulateNetworkConditions", conditions)
    traffic.taken()
    found = []
    for text in queries():
        answer = page.evaluate(ASK, [text, LONGEST_SECONDS])
        page.wait_for_timeout(200)
        found.append({"query": text, **answer, **traffic.taken()})
        if answer["found"] < 0:
            break
    context.close()
    return found


def summarize(rounds: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """Return medians: of the first query, and of the others."""
    cold = [one[0] for one in rounds]
    warm = [one for each in rounds for one in each[1:]]

    def middle(of: list[dict[str, Any]], key: str) -> float:
        return round(median([one[key] for one in of]), 1)

    keys = ("first", "milliseconds", "requests", "bytes")
    return {
        "cold": {key: middle(cold, key) for key in keys},
        "warm": {key: middle(warm, key) for key in keys} if warm else {},
        "slowest": round(max((one["milliseconds"] for one in warm), default=0), 1),
    }


def measure(names: list[str], rivals: Path, objects: int, folder: Path) -> dict[str, Any]:
    """Build all indexes, then ask them in turns."""
    measured: dict[str, Any] = {}
    corpus = folder / "corpus.jsonl"
    write_corpus(objects, corpus)
    for name in names:
        measured[name] = measure_build(name, rivals, corpus, folder / name)
        print(name, measured[name], flush=True)
    names = [name for name in names if "files" in measured[name]]
    bundle_search(folder / "search")
    if "ours" in names:
        (folder / "search/index").symlink_to(folder / "ours/search/index")
    (folder / "modules").symlink_to((rivals / "node_modules").resolve())
    shutil.copy(ROOT / "tests/benchmarks/search_pages.js", folder)
    (folder / "page.html").write_text(PAGE)
    rounds: dict[tuple[str, str], list[list[dict[str, Any]]]] = defaultdict(list)
    with web_server(folder) as address, sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGUMENTS)
        for network, _, name in product(NETWORKS, range(ROUNDS), names):
            answers = rounds[name, network]
            if not answers or answers[-1][-1]["found"] >= 0:
                answers.append(ask(browser, address, name, network))
        browser.close()
    for (name, network), answers in rounds.items():
        measured[name][network] = summarize(answers) | {"rounds": answers}
    return measured


def main() -> None:
    """Print and keep what each way took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--rivals", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--raw", type=Path, default=Path("runs/site-search.json"))
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(NAMES if options.rivals else ["ours"])
    with tempfile.TemporaryDirectory(prefix="search-") as folder:
        Path(folder).chmod(0o755)
        measured = measure(names, options.rivals or Path("runs"), options.objects, Path(folder))
    for name, network in product(measured, NETWORKS):
        found = measured[name].get(network, {})
        print(name, network, {key: value for key, value in found.items() if key != "rounds"})
    options.raw.parent.mkdir(parents=True, exist_ok=True)
    options.raw.write_text(json.dumps(measured, indent=1))


if __name__ == "__main__":
    main()
