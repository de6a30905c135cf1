"""`vitrine bench formats`: pyramidal TIFF, JPEG 2000 and HTJ2K, encoded and served."""

import json
from pathlib import Path
from typing import Annotated

import typer

from vitrine.cli.bench_bar import rounds_bar
from vitrine.cli.environment import UNSUCCESSFUL, AsJson, stop
from vitrine.errors import InvalidScenario, VitrineError

SCRATCH = Path(".build/formats")


def formats(
    servers: Annotated[
        str, typer.Option(help="Of iipsrv, decoders, ours; empty: only encode.")
    ] = "iipsrv,decoders,ours",
    encode: Annotated[bool, typer.Option(help="Measure the encoders, too.")] = True,
    pictures: Annotated[
        int, typer.Option(min=1, max=50, help="Photographs (5 at most), or images of the lists.")
    ] = 1,
    url_list: Annotated[
        list[Path] | None,
        typer.Option(help="Addresses to ask for in place of kinds; may be repeated."),
    ] = None,
    dimensions: Annotated[
        Path | None, typer.Option(help="CSV of the lists' images: id, width, height.")
    ] = None,
    list_requests: Annotated[int, typer.Option(min=1, help="Of each list.")] = 60,
    rounds: Annotated[int, typer.Option(min=1, max=50, help="Of encoding and of serving.")] = 5,
    seed: Annotated[int, typer.Option(help="Equal seeds ask for equal regions.")] = 2022,
    scratch: Annotated[Path, typer.Option(help="Folder for the files.")] = SCRATCH,
    results: Annotated[Path, typer.Option(help="Folder for raw results.")] = Path("results"),
    name: Annotated[
        str, typer.Option(help="Of the run's folder in it, behind the date.")
    ] = "formats",
    as_json: AsJson = False,
) -> None:
    """Compare formats of access masters: encode time, size, decode time through servers.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept, and marked). 2: nothing was compared.
    """
    from vitrine.cli import bench
    from vitrine.measure.formats.report import html, text
    from vitrine.measure.formats.run import Study, compare
    from vitrine.measure.formats.tables import write_csv
    from vitrine.measure.studies.saved import save

    study = Study(
        servers=[word.strip() for word in servers.split(",") if word.strip()],
        encode=encode and not url_list,
        pictures=pictures,
        url_lists=url_list or (),
        dimensions=dimensions,
        list_requests=list_requests,
        rounds=rounds,
        seed=seed,
        scratch=scratch,
    )
    try:
        with rounds_bar() as watch:
            figures = compare(study, bench._say, watch)
    except InvalidScenario as error:
        stop(str(error))
    except (VitrineError, RuntimeError, OSError) as error:
        typer.echo(f"vitrine: {error}", err=True)
        raise typer.Exit(UNSUCCESSFUL) from None
    except KeyboardInterrupt:
        stop("Interrupted before anything was measured.")
    folder = bench._folder(name, results)
    saved = save("formats", figures, folder, html)
    write_csv(figures, folder)
    print(json.dumps(saved, indent=2) if as_json else f"{text(figures)}\n\n{folder}/index.html")
    wrong = any(row["wrong"] for row in figures["checks"])
    if wrong or any(row["failures"] for row in figures["rounds"]) or not figures["complete"]:
        raise typer.Exit(UNSUCCESSFUL)
