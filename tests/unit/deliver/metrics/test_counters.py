"""What is counted adds up: over answers, over processes, and over those that have died."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from vitrine.deliver.metrics.counters import BOUNDS, Counters, sum_samples
from vitrine.deliver.metrics.minute import METRICS, minute_fields, percentile, subtract
from vitrine.deliver.metrics.process_files import ProcessFiles
from vitrine.deliver.metrics.prometheus import format_samples, parse_samples

DEAD = """
import sys
from pathlib import Path
from vitrine.deliver.metrics.process_files import ProcessFiles
ProcessFiles(Path(sys.argv[1])).write({
    'vitrine_store_requests_total{what="read"}': 7, "vitrine_memory_bytes": 5})
"""


def busy() -> Counters:
    """Counters after ten tiles at once, ten that waited, and a render."""
    counters = Counters()
    for number in range(10):
        counters.tiles_at_once += 1
        counters.observe_answer("tile", 0.02 if number else 4.0)
        counters.count("tiles_total", way="passed_through")
        counters.count("block_reads_total", found="store")
        counters.count("answers_total", status=200)
    counters.count("answers_total", status=503)
    counters.count("renders_total", renderer="iipsrv", lane="medium", result="done")
    counters.watch("memory_bytes", lambda: 1000)
    return counters


def test_a_tile_at_once_is_a_tile_an_answer_and_a_read_from_the_cache():
    samples = busy().samples()
    assert samples['vitrine_answer_seconds_count{kind="tile"}'] == 20
    assert samples['vitrine_tiles_total{way="passed_through"}'] == 20
    assert samples['vitrine_answers_total{status="200"}'] == 20
    assert samples['vitrine_block_reads_total{found="cache"}'] == 10
    assert samples['vitrine_block_reads_total{found="store"}'] == 10


def test_only_declared_metrics_are_counted():
    with pytest.raises(KeyError):
        Counters().count("tile_total")


def test_prometheus_text_is_read_back_and_buckets_are_cumulative():
    samples = busy().samples()
    text = format_samples(samples)
    assert parse_samples(text) == pytest.approx(samples)
    buckets = [line for line in text.splitlines() if 'bucket{kind="tile"' in line]
    values = [float(line.rpartition(" ")[2]) for line in buckets]
    assert len(buckets) == len(BOUNDS) + 1
    assert values == sorted(values)
    assert values[-1] == 20
    assert text.count("# TYPE vitrine_answer_seconds histogram") == 1


def test_processes_are_summed_and_the_dead_keep_their_counts_but_no_memory(tmp_path: Path):
    for _ in range(2):
        subprocess.run([sys.executable, "-c", DEAD, str(tmp_path)], check=True)
    files = ProcessFiles(tmp_path)
    total = files.sum_with({'vitrine_store_requests_total{what="read"}': 1.0})
    assert total == {'vitrine_store_requests_total{what="read"}': 15}
    # A third process finds one file of all that have ended.
    assert {path.name for path in tmp_path.glob("*.json")} == {"ended.json"}
    files.write({"vitrine_memory_bytes": 5})
    assert files.is_first()


def test_gauges_of_running_processes_are_summed():
    samples = {"vitrine_memory_bytes": 3.0}
    assert sum_samples([samples, samples], [samples]) == {"vitrine_memory_bytes": 6}


def test_a_full_disk_costs_a_process_nothing_but_its_file(tmp_path: Path):
    (tmp_path / "file").write_text("")
    files = ProcessFiles(tmp_path / "file" / "counters")
    files.write({})
    assert files.sum_with({"vitrine_memory_bytes": 1.0}) == {"vitrine_memory_bytes": 1}


def test_a_minute_has_what_was_added_since_the_last():
    counters = busy()
    before = counters.samples()
    counters.tiles_at_once += 1
    counters.observe_answer("tile", 0.9)
    counters.count("answers_total", status=200)
    fields = minute_fields(
        subtract(counters.samples(), before), environment="prod", process=7, milliseconds=1
    )
    assert (fields["Tiles"], fields["SlowTiles"]) == (2, 1)
    assert (fields["Answers"], fields["ServerErrors"], fields["MemoryBytes"]) == (2, 0, 1000)
    assert fields["added"]['block_reads_total{found="cache"}'] == 1


def test_a_refusal_by_price_is_a_refused_render_and_a_shadow_s_is_not():
    counters = busy()
    counters.count("gave_way_total", turn="first", result="refused")
    counters.count("gave_way_total", turn="third", result="counted")
    counters.count("priced_dollars_total", 0.000041, lane="large")
    fields = minute_fields(counters.samples(), environment="prod", process=7, milliseconds=1_000)
    assert fields["RendersRefused"] == 1
    assert fields["added"]['priced_dollars_total{lane="large"}'] == 0.000041


def test_the_line_is_what_cloudwatch_reads():
    fields = minute_fields(busy().samples(), environment="prod", process=7, milliseconds=1_000)
    (directive,) = fields["_aws"]["CloudWatchMetrics"]
    assert directive["Dimensions"] == [["Environment"]]
    assert fields["Environment"] == "prod"
    assert {item["Name"] for item in directive["Metrics"]} == set(METRICS)
    for name in METRICS:
        assert isinstance(fields[name], int | float), name
    assert (fields["ServerErrors"], fields["SlowTiles"], fields["Renders"]) == (1, 1, 1)
    assert len(json.dumps(fields)) < 8_000


def test_a_percentile_lies_in_the_bucket_of_its_rank():
    samples = busy().samples()
    assert percentile(samples, "tile", 0.5) <= 0.001
    assert 0.01 < percentile(samples, "tile", 0.9) <= 0.025
    assert 2.5 < percentile(samples, "tile", 0.99) <= 5.0
