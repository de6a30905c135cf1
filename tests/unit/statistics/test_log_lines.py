"""Both logs are read; damage is distinguished from what is not counted."""

import gzip
import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.statistics.log_bench import BROWSER, DAY, cloudfront, nginx
from vitrine.statistics.log_lines import (
    MAX_LINE_BYTES,
    DamagedLine,
    LogLine,
    read_cloudfront_line,
    read_nginx_line,
    split_lines,
)
from vitrine.statistics.robots import is_robot

LIMIT = 10 * MAX_LINE_BYTES


def test_both_logs_say_the_same_of_the_same_request() -> None:
    ours = read_nginx_line(nginx("/objects/a"))
    theirs = read_cloudfront_line(cloudfront("/objects/a", **{"cs(User-Agent)": BROWSER}))
    assert ours
    assert theirs
    assert ours == theirs._replace(country="")
    assert (theirs.day, theirs.country, theirs.path) == (DAY, "DE", "/objects/a")


def test_a_line_says_neither_address_nor_anything_that_leads_to_it() -> None:
    found = read_cloudfront_line(cloudfront("/objects/a"))
    assert found
    assert not any("192.0.2.1" in str(value) for value in found)
    assert LogLine._fields == ("day", "second", "visitor", "country", "agent", "path")


def test_local_time_becomes_utc() -> None:
    [early, late] = [
        read_nginx_line(nginx("/objects/a", time, offset=offset))
        for time, offset in (("23:30:00", "-01:00"), ("00:30:00", "+01:00"))
    ]
    assert early
    assert late
    assert (early.day, late.day) == ("2026-11-29", "2026-11-27")
    assert early.second - late.second == 25 * 3600


@pytest.mark.parametrize(
    ("logged", "path"),
    [("/objects/a%252Fb", "/objects/a%2Fb"), ("/objects/a%2Fb", "/objects/a%2Fb")],
)
def test_an_escape_is_read_as_the_client_sent_it(logged: str, path: str) -> None:
    found = read_cloudfront_line(cloudfront(logged))
    assert found
    assert found.path == path


@pytest.mark.parametrize(
    "line",
    [
        cloudfront("/objects/a", **{"cs-method": "HEAD"}),
        cloudfront("/objects/a", **{"sc-status": "404"}),
        cloudfront("/objects/a", **{"sc-status": 500}),
    ],
)
def test_what_nobody_saw_is_not_counted(line: bytes) -> None:
    assert read_cloudfront_line(line) is None


@pytest.mark.parametrize(
    "line",
    [
        nginx("/objects/a", status="404"),
        nginx("/objects/a").replace(b"GET", b"HEAD"),
        nginx("/objects/a").replace(b"GET /objects/a HTTP/1.1", b"\\x16\\x03\\x01"),
    ],
)
def test_what_nobody_saw_on_one_machine_is_not_counted(line: bytes) -> None:
    assert read_nginx_line(line) is None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"{}",
        cloudfront("/objects/a")[:-5],
        cloudfront("/objects/a", "10:00"),
        cloudfront("/objects/a", "25:00:00"),
        cloudfront("/objects/a", date="2026-13-01"),
        cloudfront("/objects/a", date=7),
        cloudfront("/objects/a", **{"cs-uri-stem": None}),
    ],
)
def test_a_damaged_line_is_said_to_be_one(line: bytes) -> None:
    with pytest.raises(DamagedLine):
        read_cloudfront_line(line)


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_bytes_are_read_as_anything_but_a_line_or_a_damaged_one(line: bytes) -> None:
    for read in (read_cloudfront_line, read_nginx_line):
        with suppress(DamagedLine):
            assert read(line) is None or isinstance(read(line), LogLine)


def test_a_country_that_makes_no_sense_is_unknown() -> None:
    for said in ("-", "", "Germany", "d1", "ÄÖ"):
        found = read_cloudfront_line(cloudfront("/objects/a", **{"c-country": said}))
        assert found
        assert found.country == ""


def test_lines_are_split_and_those_that_are_too_long_are_empty() -> None:
    long = b"x" * (MAX_LINE_BYTES + 1)
    for ending in (b"", b"\n"):
        file = io.BytesIO(b"\n".join([b"a", long, b"b", long * 40, b"c"]) + ending)
        assert list(split_lines(file, 100 * LIMIT)) == [b"a", b"", b"b", b"", b"c"]


def test_a_file_has_a_limit_and_may_be_cut_off() -> None:
    packed = gzip.compress(b"one\n" * LIMIT)
    with gzip.open(io.BytesIO(packed)) as file, pytest.raises(DamagedLine, match="more than"):
        list(split_lines(file, LIMIT))
    for damaged in (packed[:-20], packed[:200] + bytes(20) + packed[220:], b"no gzip"):
        with gzip.open(io.BytesIO(damaged)) as file, pytest.raises(DamagedLine):
            list(split_lines(file, 100 * LIMIT))


@pytest.mark.parametrize(
    "agent",
    [
        *("", "-", "curl/8.5.0", "python-requests/2.32", "Wget/1.21", "Go-http-client/2.0"),
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "Mozilla/5.0%20(compatible;%20GPTBot/1.2)",
        "Mozilla/5.0 (compatible; YandexBot/3.0)",
        "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/131.0.0.0 Safari/537.36",
    ],
)
def test_robots_are_recognised_however_they_spell_their_names(agent: str) -> None:
    assert is_robot(agent)


@pytest.mark.parametrize(
    "agent",
    [
        *(BROWSER, BROWSER.replace(" ", "%20")),
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
        "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
    ],
)
def test_people_are_no_robots(agent: str) -> None:
    assert not is_robot(agent)
