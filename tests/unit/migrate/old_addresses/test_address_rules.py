"""Addresses of earlier servers lead to ours: in Python, in a CloudFront Function and in njs alike.

The addresses are of public servers. More are read from the file that OLD_ADDRESSES names: kind,
address and source, separated by tabs.
"""

import csv
import json
import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from vitrine.errors import MigrationUnusable
from vitrine.iiif.address import parse_address
from vitrine.migrate.old_addresses.address_rules import AddressRule, read_rules, resolve
from vitrine.migrate.old_addresses.write_forwarding import FUNCTION, write_forwarding

RUNNER = Path(__file__).parents[2] / "edge/run_function.js"
BASE = "https://images.example.edu"
FILE = Path(os.environ.get("OLD_ADDRESSES", "none"))
LORIS = [
    AddressRule.parse("/loris/{image*}/{request}", "/iiif/2/{image}/{request}"),
    AddressRule.parse("/loris2/{image*}/{request}", "/iiif/2/{image}/{request}"),
]
CANTALOUPE = [
    AddressRule.parse("/iiif/3/{image}/{request}", "/iiif/3/{image}/{request}"),
    AddressRule.parse("/iiif/2/{image}/{request}", "/iiif/2/{image}/{request}"),
    AddressRule.parse("/iiif/1/{image}/{request}", "/iiif/2/{image}/{request}"),
]
STATIC = [
    AddressRule.parse("/test/data/{image}/{request}", "/iiif/2/{image}/{request}"),
    AddressRule.parse("/zoom/{image}.dzi", "/iiif/3/{image}/info.json"),
    AddressRule.parse("/iiif/{object}/manifest.json", "/presentation/2/{object}/manifest.json"),
]
IIPSRV = [
    AddressRule.parse("/fcgi-bin/iipsrv.fcgi?IIIF={image*}/{request}", "/iiif/2/{image}/{request}")
]
KNOWN = [
    (
        LORIS,
        "http://libimages.princeton.edu/loris2/pudl0001%2F5138415%2F00000011.jp2/full/full/0/default.jpg",
        "/iiif/2/pudl0001%2F5138415%2F00000011.jp2/full/full/0/default.jpg",
    ),
    (
        LORIS,
        "https://libimages.princeton.edu/loris/pudl0001%2F4612422%2F00000001.jp2",
        "/iiif/2/pudl0001%2F4612422%2F00000001.jp2",
    ),
    (
        LORIS,
        "https://www.e-codices.unifr.ch:443/loris/csg/csg-0730/csg-0730_049.jp2/full/full/0/default.jpg",
        "/iiif/2/csg%2Fcsg-0730%2Fcsg-0730_049.jp2/full/full/0/default.jpg",
    ),
    (
        LORIS,
        "https://iiif.ucd.ie/loris/ucdlib:33543/full/full/0/default.jpg",
        "/iiif/2/ucdlib:33543/full/full/0/default.jpg",
    ),
    (LORIS, "https://a.example/loris/a%2Fb/info.json/", "/iiif/2/a%2Fb/info.json"),
    (
        LORIS,
        "https://a.example/loris/a/0,0,9,9/pct:50/!90/grey",
        "/iiif/2/a/0,0,9,9/pct:50/!90/gray.jpg",
    ),
    (LORIS, "https://a.example/lorises/a/info.json", None),
    (LORIS, "https://a.example/loris/%zz/info.json", None),
    (
        CANTALOUPE,
        "https://collections.library.yale.edu/iiif/2/16394975/full/!300,300/0/default.jpg",
        "/iiif/2/16394975/full/!300,300/0/default.jpg",
    ),
    (
        CANTALOUPE,
        "https://image-iiif.library.nd.edu/iiif/2/2016.025%2F2016_025-v0001/full/!250,250/0/default.jpg",
        "/iiif/2/2016.025%2F2016_025-v0001/full/!250,250/0/default.jpg",
    ),
    (
        CANTALOUPE,
        "https://a.example/iiif/1/subfolder%2Fjpg/full/full/0/native.jpg?cache=false",
        "/iiif/2/subfolder%2Fjpg/full/full/0/default.jpg",
    ),
    (
        STATIC,
        "https://a.example/test/data/iiif_2_0_tiled/512,0,263,512/132,256/0/default.jpg",
        "/iiif/2/iiif_2_0_tiled/512,0,263,512/132,256/0/default.jpg",
    ),
    (
        STATIC,
        "https://a.example/test/data/iiif_1_1_tiled/full/49,64/0/native.jpg",
        "/iiif/2/iiif_1_1_tiled/full/49,64/0/default.jpg",
    ),
    (STATIC, "https://a.example/test/data/wide_files/11/6_0.jpg", None),
    (STATIC, "https://a.example/zoom/(a)%20b.dzi", "/iiif/3/%28a%29%20b/info.json"),
    (STATIC, "https://a.example/iiif/ms1/manifest.json", "/presentation/2/ms1/manifest.json"),
    (
        IIPSRV,
        "/fcgi-bin/iipsrv.fcgi?IIIF=/opt/05/36/5.tif/0,0,15001,32768/234,512/0/default.jpg",
        "/iiif/2/%2Fopt%2F05%2F36%2F5.tif/0,0,15001,32768/234,512/0/default.jpg",
    ),
]


@pytest.mark.parametrize(("rules", "address", "path"), KNOWN)
def test_an_old_address_leads_to_the_same_request(
    rules: list[AddressRule], address: str, path: str | None
) -> None:
    assert resolve(rules, address) == path
    if path and path.startswith("/iiif/"):
        assert parse_address(path)


def run_in_v8(folder: Path, rules: list[AddressRule], addresses: list[str]) -> list[str | None]:
    """What the CloudFront Function of these rules leads addresses to, without BASE."""
    write_forwarding(rules, BASE, folder)
    done = subprocess.run(
        ["node", RUNNER, folder / FUNCTION],
        input=json.dumps([cloudfront_event(address) for address in addresses]),
        capture_output=True,
        text=True,
        check=True,
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    assert {one["statusCode"] for one in answers} <= {301, 404}
    return [
        one["headers"]["location"]["value"].removeprefix(BASE) if "headers" in one else None
        for one in answers
    ]


def cloudfront_event(address: str) -> dict[str, Any]:
    parts = urlsplit(address)
    pairs = [pair.partition("=") for pair in parts.query.split("&") if pair]
    query = {name: {"value": value} for name, _, value in pairs}
    return {"request": {"method": "GET", "uri": parts.path, "querystring": query, "headers": {}}}


@pytest.mark.parametrize("rules", [LORIS, CANTALOUPE, STATIC, IIPSRV])
def test_the_function_for_cloudfront_leads_where_the_check_says(
    tmp_path: Path, rules: list[AddressRule]
) -> None:
    addresses = [address for _, address, _ in KNOWN]
    assert run_in_v8(tmp_path, rules, addresses) == [resolve(rules, one) for one in addresses]


def test_a_rule_of_a_host_is_not_about_another() -> None:
    rule = AddressRule.parse("https://a.example/{image}/{request}", "/iiif/2/{image}/{request}")
    assert rule.resolve("http://a.example:80/1/info.json") == "/iiif/2/1/info.json"
    assert rule.resolve("/1/info.json") == "/iiif/2/1/info.json"
    assert rule.resolve("https://b.example/1/info.json") is None


@pytest.mark.parametrize(
    ("source", "path", "sentence"),
    [
        ("loris/{image}", "/iiif/2/{image}", "leads from an address"),
        ("/loris/{image}", "iiif/2/{image}", "leads from an address"),
        ("/{image}/{image}", "/iiif/2/{image}", "has {image} twice"),
        ("/{request}/{image}", "/iiif/2/{image}", "{request} in another place"),
        ("/{image}", "/iiif/2/{name}", "leads to {name}, which it does not have"),
        ("/{image}/{request}", "/{request}/iiif/{image}", "leads to {request} in another place"),
        ("/{Image}", "/iiif/2/x", "has a brace that is no"),
        ("https://{host}/{image}", "/iiif/2/{image}", "has a placeholder in its host"),
        ("/{image}", "/iiif/2/{image", "leads to a brace"),
    ],
)
def test_a_rule_that_cannot_be_used_says_why(source: str, path: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace("{", r"\{").replace("}", r"\}")):
        AddressRule.parse(source, path)


@pytest.mark.parametrize("text", ["[redirects", "", "redirects = 3", '[redirects]\n"x" = "y"'])
def test_a_file_without_usable_rules_says_why(tmp_path: Path, text: str) -> None:
    path = tmp_path / "collection.toml"
    path.write_text(text)
    with pytest.raises(MigrationUnusable, match=r"collection\.toml"):
        read_rules(path)


@pytest.mark.skipif(
    not FILE.is_file(), reason="NOT TESTED: OLD_ADDRESSES names no table of old addresses"
)
def test_real_addresses_lead_to_requests_that_we_understand(tmp_path: Path) -> None:
    """The rules of the three pages; what no rule is about are other servers and other places."""
    kinds = {"loris": LORIS, "static-tree": STATIC, "iiif-request": CANTALOUPE}
    lines = FILE.read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(lines, delimiter="\t"))
    for kind, rules in kinds.items():
        addresses = [row["address"] for row in rows if row["kind"] == kind]
        paths = [resolve(rules, address) for address in addresses]
        assert all(parse_address(path) for path in paths if path)
        assert run_in_v8(tmp_path, rules, addresses) == paths
        led = sum(path is not None for path in paths)
        print(f"\n{kind}: {led} of {len(addresses)} lead to a request")
        assert led
