"""`vitrine bench`: measure the service or a part; raw results go where they can be quoted from."""

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.cli.bench_cache import cache
from vitrine.cli.bench_cold import cold_reads
from vitrine.cli.bench_drill import drill
from vitrine.cli.bench_edge import edge
from vitrine.cli.bench_formats import formats
from vitrine.cli.bench_generator import generator
from vitrine.cli.bench_ingest import ingest
from vitrine.cli.bench_photos import photos
from vitrine.cli.bench_redirects import redirect_import, redirects
from vitrine.cli.bench_report import report
from vitrine.cli.bench_simulator import simulator
from vitrine.cli.bench_workers import workers
from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected
from vitrine.errors import VitrineError

Rounds = Annotated[int, typer.Option(min=1, max=50, help="How often to measure.")]
Results = Annotated[Path, typer.Option(help="Folder for raw results.")]
RESULTS = Path("results")
SCRATCH = Path(".build/encode")
DELIVER_SCRATCH = Path(".build/deliver")


def register(app: typer.Typer) -> None:
    """Add the verb group."""
    group = typer.Typer(
        name="bench", help="Measure the running service, or a part of it.", no_args_is_help=True
    )
    group.command("zoomable")(zoomable)
    group.command("cold")(cold)
    group.command("cold-reads")(cold_reads)
    group.command("encode")(encode)
    group.command("corruption")(corruption)
    group.command("conversions")(conversions)
    group.command("bombs")(bombs)
    group.command("deliver")(deliver)
    group.command("edge")(edge)
    group.command("ingest")(ingest)
    group.command("drill")(drill)
    group.command("photos")(photos)
    group.command("formats")(formats)
    group.command("report")(report)
    group.command("cache")(cache)
    group.command("workers")(workers)
    group.command("generator")(generator)
    group.command("redirects")(redirects)
    group.command("simulator")(simulator)
    group.command("redirect-import")(redirect_import)
    app.add_typer(group)


def zoomable(
    environment: Environment = DEFAULT,
    rounds: Rounds = 5,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Upload 55 megapixels of 16-bit Adobe RGB: seconds until they zoom, colour error."""
    from vitrine.measure.zoomable import measure_zoomable

    with connected(environment) as service, tempfile.TemporaryDirectory() as scratch:
        figures = _measure(lambda: measure_zoomable(service, Path(scratch), rounds, _say))
    _report("zoomable", figures, results, as_json)


def cold(
    environment: Environment = DEFAULT,
    clients: Annotated[int, typer.Option(min=1, max=200, help="Clients at once.")] = 20,
    rounds: Rounds = 5,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Let many clients ask for the same cold image at once: failures, and fetches from S3."""
    from vitrine.measure.cold import measure_cold

    with connected(environment) as service:
        figures = _measure(lambda: measure_cold(service, clients, rounds, _say))
    _report("cold", figures, results, as_json)


def encode(
    sizes: Annotated[str, typer.Option(help="Megapixels: of 10, 100, 400, 1000.")] = "10,100",
    rounds: Rounds = 5,
    scratch: Annotated[Path, typer.Option(help="Folder for masters and results.")] = SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Compare our recipe with every encoder installed: speed, size, fidelity. No service."""
    from vitrine.measure.encode.report import chart, table
    from vitrine.measure.encode.run import measure_encode

    folder = _folder("encode", results)
    wanted = [int(size) for size in sizes.split(",")]
    figures = _measure(lambda: measure_encode(wanted, rounds, scratch, folder, _say))
    (folder / "table.md").write_text(table(figures))
    chart(figures, folder / "speed.svg")
    _report("encode", figures, results, as_json, table(figures))


def corruption(
    variants: Annotated[int, typer.Option(min=1, help="Damaged masters to try.")] = 2_000,
    first: Annotated[int, typer.Option(min=0, help="Number of the first variant.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 2,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Damage masters of every kind: each must be refused or converted correctly. No service."""
    from vitrine.measure.corruption.run import measure_corruption

    figures = _measure(lambda: measure_corruption(variants, workers, _say, first))
    _report("corruption", figures, results, as_json)
    if figures["bad"]:
        raise typer.Exit(UNSUCCESSFUL)


def conversions(
    conversions: Annotated[int, typer.Option(min=26, help="Masters to convert.")] = 300,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Conversions at once.")] = 8,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Convert mixed kinds in one process: does its memory grow? Needs no service."""
    from vitrine.measure.conversions import measure_conversions

    figures = _measure(lambda: measure_conversions(conversions, threads, _say))
    _report("conversions", figures, results, as_json)


def bombs(results: Results = RESULTS, as_json: AsJson = False) -> None:
    """Refuse small files of 60,000 x 60,000 pixels: seconds and memory. Needs no service."""
    from vitrine.measure.bombs import measure_bombs

    _report("bombs", _measure(measure_bombs), results, as_json)


def deliver(
    scenario: Annotated[
        list[str] | None, typer.Option(help="Only this one; may be repeated. Default: all.")
    ] = None,
    rounds: Rounds = 5,
    request_lists: Annotated[
        Path | None, typer.Option(help="Folder of the published Universal Viewer requests.")
    ] = None,
    scratch: Annotated[Path, typer.Option(help="Folder for access masters.")] = DELIVER_SCRATCH,
    results: Results = RESULTS,
    as_json: AsJson = False,
) -> None:
    """Compare our image task with plain nginx and iipsrv, and with files. Needs no service."""
    from vitrine.measure.deliver.report import chart, table
    from vitrine.measure.deliver.run import measure_deliver

    figures = _measure(
        lambda: measure_deliver(scenario or [], rounds, scratch, request_lists, _say)
    )
    folder = _folder("deliver", results)
    (folder / "table.md").write_text(table(figures))
    chart(figures, folder / "cpu.svg")
    _report("deliver", figures, results, as_json, table(figures))
    if any("error" in scenario for scenario in figures["scenarios"].values()):
        raise typer.Exit(UNSUCCESSFUL)


def _measure(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return run()
    except (VitrineError, RuntimeError, OSError) as error:
        typer.echo(f"vitrine: {error}", err=True)
        raise typer.Exit(UNSUCCESSFUL) from None


def _report(
    name: str, figures: dict[str, Any], results: Path, as_json: bool, text: str = ""
) -> None:
    from vitrine.measure.machine import describe

    run = {"bench": name, "figures": figures, "machine": describe()}
    path = _folder(name, results) / "run.json"
    path.write_text(json.dumps(run, indent=2) + "\n")
    if as_json:
        print(json.dumps(run, indent=2))
        return
    lines = [f"{key.replace('_', ' '):28} {value}" for key, value in figures.items()]
    print(text or "\n".join(lines))
    print(f"{'raw results':28} {path}")


def _folder(name: str, results: Path) -> Path:
    folder = results / f"{datetime.now(UTC):%Y-%m-%d}-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _say(line: str) -> None:
    typer.echo(line, err=True)
