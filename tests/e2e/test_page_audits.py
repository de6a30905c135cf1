"""Lighthouse on every kind of page, as a phone: prints all it found, judges what needs no clock."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import EDGE_URL_VARIABLE
from tests.e2e.page_audits import Audit, audit_page, format_table
from tests.e2e.published_site import PAGES, publish_site

KINDS = {**PAGES, "desk": "/desk/"}
NOT_INDEXED = ("embedded", "desk")
"""Pages that search engines are asked to leave out, which Lighthouse counts as a fault."""
MAX_SHIFT = 0.01


@pytest.fixture(scope="module")
def url(
    edge_url: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> str:
    if os.environ.get(EDGE_URL_VARIABLE):
        pytest.skip("these pages are of a collection that the tests publish")
    folder: Path = tmp_path_factory.mktemp("site")
    publish_site(request.getfixturevalue("service"), folder)
    return edge_url


@pytest.fixture(scope="module")
def audits() -> Iterator[list[Audit]]:
    done: list[Audit] = []
    yield done
    print("\n" + "\n".join(format_table(done)))


@pytest.mark.parametrize("kind", KINDS)
def test_lighthouse_finds_no_fault(url: str, audits: list[Audit], kind: str) -> None:
    found = audit_page(url, KINDS[kind], "phone")
    audits.append(found)
    judged = ["accessibility", "best-practices", *([] if kind in NOT_INDEXED else ["seo"])]
    assert {name: found.scores[name] for name in judged} == dict.fromkeys(judged, 100), found.failed
    assert found.timings["cumulative-layout-shift"] < MAX_SHIFT
