"""A run of `study answers` as it is saved: two photographs, two requests, four servers."""

from typing import Any

from loadtest.studies.answers.answer_medians import answer_medians, pack_rows

CPU = {
    "ours": {"iipsrv": 3.0, "gateway": 1.0},
    "iipsrv": {"iipsrv": 2.0},
    "iipsrv-memcached": {"iipsrv": 6.0},
    "iipsrv-memcached, again": {"iipsrv": 0.25},
}
DECIBELS = {"ours": 37.0, "iipsrv": 34.0, "iipsrv-memcached": 34.0}
PHOTOGRAPHS = {"small-10": 1.0, "large-400": 3.0}
"""Names, and by what a render of theirs is more expensive."""
REQUESTS = ("!400", "native size")


def rounds(seconds: tuple[float, ...] = (1.0, 2.0, 9.0)) -> list[dict[str, Any]]:
    return [
        {
            "photograph": photograph,
            "request": request,
            "server": server,
            "round": number,
            "requests": 3,
            "failures": 0,
            "p50_ms": 7.0 * factor,
            "cpu_ms": {name: ms * factor * more for name, ms in cpu.items()},
        }
        for number, more in enumerate(seconds, 1)
        for request in REQUESTS
        for photograph, factor in PHOTOGRAPHS.items()
        for server, cpu in CPU.items()
        if (request, photograph, server) != ("native size", "large-400", "ours")
    ]


def checks() -> list[dict[str, Any]]:
    return [
        {
            "photograph": photograph,
            "request": request,
            "server": server,
            "requests": 1,
            "failures": 0,
            "fault": "",
            "bytes": 1_000 * factor,
            "psnr_db": decibels + factor,
        }
        for request in REQUESTS
        for photograph, factor in PHOTOGRAPHS.items()
        for server, decibels in DECIBELS.items()
    ]


def answers_run() -> dict[str, Any]:
    return {
        "complete": True,
        "stopped_by": "",
        "pinned": {"server_core": 0, "generator_core": 1},
        "photographs": {"small-10": "its own pixels", "large-400": "ENLARGED 5 times"},
        "requests": list(REQUESTS),
        "servers": {name: f"about {name}" for name in CPU},
        "rounds_of": {"seconds": 0.3, "rounds": 3},
        "psnr_reference": "Lanczos",
        "versions": {"nginx": "1.22.1"},
        "checks": pack_rows(checks()),
        "medians": answer_medians(rounds(), checks()),
        "rounds": pack_rows(rounds()),
    }
