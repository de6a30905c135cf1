"""Clover, installed as its lock has it and bundled with React, on a page next to ours."""

import os
import subprocess
from pathlib import Path

from playwright.sync_api import Page, Route

from tests.locked_packages import install_packages
from vitrine.bootstrap.local_service import REPOSITORY

LOCKED = Path(__file__).with_name("clover")
PAGE = """<!doctype html><html lang="en"><title>Clover</title><meta charset="utf-8">
<link rel="icon" href="data:,"><div id="viewer"></div><script src="clover.js"></script>
"""
SCRIPT = """import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import Viewer from '@samvera/clover-iiif/viewer';
const iiifContent = new URLSearchParams(location.search).get('iiif-content');
createRoot(document.getElementById('viewer')).render(createElement(Viewer, { iiifContent }));
"""
"""Its own bundle for pages without React ends with "I is not a function" when it has matches."""


def bundle() -> Path:
    """Return the script of the page; install and bundle it unless that is done."""
    installed = install_packages(LOCKED)
    made = installed / "clover.js"
    if made.exists():
        return made
    (installed / "page.js").write_text(SCRIPT)
    esbuild = str(REPOSITORY / "node_modules" / ".bin" / "esbuild")
    part = f"{os.getpid()}.js"
    options = ["--bundle", "--minify", "--log-level=error", f"--outfile={part}"]
    options.append('--define:process.env.NODE_ENV="production"')
    subprocess.run([esbuild, "page.js", *options], cwd=installed, check=True)
    (installed / part).rename(made)
    return made


def prepare(page: Page) -> None:
    """Let /clover.html of the site be Clover's page."""
    script = bundle()

    def send_page(route: Route) -> None:
        route.fulfill(body=PAGE, content_type="text/html")

    def send_script(route: Route) -> None:
        route.fulfill(path=script, content_type="text/javascript")

    page.route("**/clover.html*", send_page)
    page.route("**/clover.js", send_script)
