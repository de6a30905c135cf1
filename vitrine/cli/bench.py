"""`vitrine bench`: measure the running service; raw results go where they can be quoted from."""

import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from vitrine.cli.environment import DEFAULT, UNSUCCESSFUL, AsJson, Environment, connected
from vitrine.errors import VitrineError

Rounds = Annotated[int, typer.Option(min=1, max=50, help="How often to measure.")]
Results = Annotated[Path, typer.Option(help="Folder for raw results.")]
RESULTS = Path("results")


def register(app: typer.Typer) -> None:
    """Add the verb group."""
    group = typer.Typer(name="bench", help="Measure the running service.", no_args_is_help=True)
    group.command("zoomable")(zoomable)
    group.command("cold")(cold)
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


def _measure(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return run()
    except (VitrineError, RuntimeError, OSError) as error:
        typer.echo(f"vitrine: {error}", err=True)
        raise typer.Exit(UNSUCCESSFUL) from None


def _report(name: str, figures: dict[str, Any], results: Path, as_json: bool) -> None:
    from vitrine.measure.machine import describe

    run = {"bench": name, "figures": figures, "machine": describe()}
    folder = results / f"{datetime.now(UTC):%Y-%m-%d}-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "run.json"
    path.write_text(json.dumps(run, indent=2) + "\n")
    if as_json:
        print(json.dumps(run, indent=2))
        return
    for key, value in figures.items():
        print(f"{key.replace('_', ' '):28} {value}")
    print(f"{'raw results':28} {path}")


def _say(line: str) -> None:
    typer.echo(line, err=True)
