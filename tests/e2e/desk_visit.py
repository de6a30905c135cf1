"""A curator at the desk: files on their computer, and what they do on its pages."""

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import CDPSession, Page, expect

from vitrine.adapters.aws.access import AwsAccess
from vitrine.adapters.aws.stack_outputs import stack_outputs

if TYPE_CHECKING:
    from conftest import Service

API_SECONDS = 60


def draw_photographs(folder: Path, count: int, name: str = "view") -> list[Path]:
    """Draw photographs of about 50 kB, each another: `view-1.jpg` and so on."""
    import pyvips

    paths = []
    for number in range(1, count + 1):
        noise = pyvips.Image.gaussnoise(240, 160, mean=128, sigma=60, seed=number)
        colour = [number % 99, 0, -number % 99]
        picture = (noise + colour).cast("uchar")
        picture = picture.copy(interpretation="srgb")
        paths.append(folder / f"{name}-{number}.jpg")
        picture.jpegsave(str(paths[-1]), Q=90)
    return paths


def begin_collection(
    page: Page, title: str, photographs: Sequence[Path], *, is_held: bool = False
) -> None:
    """Make a new collection of photographs on the desk that is open, and wait for its table.

    With `is_held`, nobody sees them before they are published.
    """
    page.get_by_role("link", name="New collection").click()
    choose_files(page, photographs)
    page.get_by_label("Title of the collection").fill(title)
    page.get_by_label("Let nobody see the photographs").set_checked(is_held)
    page.get_by_role("button", name=f"Send {len(photographs):,} file").click()
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(len(photographs))


def choose_files(page: Page, paths: Sequence[Path]) -> None:
    """Choose files where the page takes them."""
    chooser = page.locator("input[type=file]:not([webkitdirectory])").last
    chooser.set_input_files([str(path) for path in paths])


def publish(page: Page, records: int) -> None:
    """Publish all changes of the page, after what will happen was read."""
    page.get_by_role("button", name="Publish …").click()
    noun = "record" if records == 1 else "records"
    page.get_by_role("button", name=f"Publish {records} {noun} now").click()
    expect(page.get_by_text(f"{records} of {records} {noun} published.")).to_be_visible()
    close = page.get_by_role("button", name="Close")
    expect(close).to_be_focused()
    close.click()
    expect(page.locator("body")).not_to_be_focused()


def cell_texts(page: Page, row: int) -> list[str]:
    """Return the cells of a row, from the title on."""
    return page.locator("tbody tr").nth(row).locator(".cell").all_inner_texts()


def paste(page: Page, text: str) -> None:
    """Paste a text where the focus is."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+v")


def connect(protocol: CDPSession, *, is_broken: bool, bytes_per_second: int = -1) -> None:
    """Set how fast a page sends, and whether its connection is broken."""
    protocol.send("Network.enable")
    protocol.send(
        "Network.emulateNetworkConditions",
        {
            "offline": is_broken,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": bytes_per_second,
        },
    )


def call_api(service: "Service", path: str) -> Any:
    """Return what the API says to the desk."""
    address = f"{service.addresses.edge_url}/api/{path}"
    with urllib.request.urlopen(address, timeout=API_SECONDS) as answer:
        return json.load(answer)


def status_of(address: str) -> int:
    """Return the status of an answer."""
    try:
        with urllib.request.urlopen(address, timeout=API_SECONDS) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def drafts_kept(page: Page) -> list[str]:
    """Return the identifiers of the drafts that the browser keeps."""
    found: list[str] = page.evaluate(
        """() => new Promise((resolve) => {
            const opened = indexedDB.open('vitrine-desk');
            opened.onsuccess = () => {
                const store = opened.result.transaction('drafts').objectStore('drafts');
                store.getAllKeys().onsuccess = (event) => resolve(event.target.result);
            };
        })"""
    )
    return found


def put_record(service: "Service", path: str, record: Any, over: int) -> None:
    """Publish a record as somebody else does."""
    request = urllib.request.Request(
        f"{service.addresses.edge_url}/api/{path}",
        json.dumps(record).encode(),
        {"Content-Type": "application/json", "If-Match": f'"{over}"'},
        method="PUT",
    )
    with urllib.request.urlopen(request, timeout=API_SECONDS) as answer:
        assert answer.status == 200


def master_versions(service: "Service", prefix: str) -> list[str]:
    """Return the keys of all versions of the masters that begin with a prefix."""
    place = service.addresses
    cloud = AwsAccess(place.emulator_url, place.region, dummy_credentials=True)
    outputs = stack_outputs(cloud.client("cloudformation"), f"vitrine-{place.stage}-store")
    found = cloud.client("s3").get_paginator("list_object_versions")
    pages = found.paginate(Bucket=outputs["MastersBucketName"], Prefix=prefix)
    return sorted(one["Key"] for page in pages for one in page.get("Versions", []))
