"""What the programs did in the last hour is read from the lines that the gateway logs."""

import json
from pathlib import Path

from vitrine.deliver.metrics.counters import Counters
from vitrine.deliver.metrics.minute import METRICS, minute_fields
from vitrine.local.work import read_minutes


def line(minute: int, process: int, tiles: int, iipsrv_seconds: float) -> str:
    """Return what one process logs of a minute, in which it rendered once."""
    counters = Counters()
    counters.tiles_at_once += tiles
    counters.count("renders_total", renderer="iipsrv", lane="large", result="done")
    counters.observe_answer("render", process / 100)
    counters.watch("memory_bytes", lambda: 100.0 * (process - 6))
    counters.count("cpu_seconds_total", iipsrv_seconds, program="iipsrv")
    fields = minute_fields(
        counters.samples(), environment="dev", process=process, milliseconds=minute
    )
    return json.dumps({"time": f"2026-11-22T10:{minute:02}:07Z", "level": "INFO", **fields})


def test_minutes_are_summed_over_processes_and_what_is_no_such_line_is_left_out(tmp_path: Path):
    log = tmp_path / "logs" / "gateway.log"
    log.parent.mkdir()
    log.write_text(
        "\n".join(
            (
                'half of a line "_aws": {}}',
                line(1, 7, tiles=3, iipsrv_seconds=0.5),
                '{"level": "ERROR", "message": "The disk is full."}',
                line(1, 8, tiles=2, iipsrv_seconds=0),
                line(2, 7, tiles=1, iipsrv_seconds=1.5),
            )
        )
    )
    first, second = read_minutes(tmp_path)
    assert first.minute == "2026-11-22T10:01Z"
    assert (first.metrics["Answers"], first.metrics["Renders"]) == (5, 2)
    assert set(first.metrics) == set(METRICS)
    # The sum of two processes' memory, the slower one's time.
    assert first.metrics["MemoryBytes"] == 300
    assert 75 < first.percentile_95_ms["render"] <= 100
    assert first.cpu_seconds["iipsrv"] == 0.5
    assert (second.metrics["Answers"], second.cpu_seconds["iipsrv"]) == (1, 1.5)


def test_without_a_log_there_are_no_minutes(tmp_path: Path):
    assert read_minutes(tmp_path) == []
