"""`vitrine-loadtest study answers`: what each kind of answer takes, the first time and again."""

from pathlib import Path
from typing import Annotated

import typer

from loadtest.cli.options import RESULTS, Name, Results, Rounds, Scratch, Tree
from loadtest.cli.study_run import Figures, Watch, print_progress, run_study
from vitrine.cli.console.program import AsJson

SCRATCH = Path(".build/studies")
SERVERS = "ours,static,iipsrv,iipsrv-cached,iipsrv-memcached,iipsrv-nginx"


def answers(
    servers: Annotated[
        str,
        typer.Option(
            help="The servers to start and compare, from ours, static, iipsrv, iipsrv-cached, "
            "iipsrv-memcached, iipsrv-nginx, iipsrv-patched and iiif-processor.",
        ),
    ] = SERVERS,
    tree: Tree = None,
    photograph: Annotated[
        list[str] | None,
        typer.Option(
            help="Use only this photograph, as in kleiber-20. May be repeated.",
            show_default="all, of 12 to 404 megapixels",
        ),
    ] = None,
    request: Annotated[
        list[str] | None,
        typer.Option(
            help="Measure only this kind of request, as in tile or !1024. May be repeated.",
            show_default="all",
        ),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option(min=0.01, help="Seconds for each request, photograph and server in a round."),
    ] = 0.3,
    rounds: Rounds = 5,
    scratch: Scratch = SCRATCH,
    results: Results = RESULTS,
    name: Name = "answers",
    as_json: AsJson = False,
) -> None:
    """Compare what tiles, thumbnails, derivatives and info.json take, the first time and again.

    Exit code 0: all answers were right. 1: some were not, or it was interrupted (what was
    measured is kept and marked). 2: nothing was compared.
    """
    from loadtest.cli.study_museum import parse_servers
    from loadtest.corpora.photograph_masters import PHOTOGRAPHS
    from loadtest.studies.answers.answer_requests import KINDS
    from loadtest.studies.answers.answering_servers import OURS, STATIC
    from loadtest.studies.answers.answers_report import REPORT, wrong_answers
    from loadtest.studies.answers.answers_study import AnswersStudy, compare_answers

    def measure(watch: Watch) -> Figures:
        study = AnswersStudy(
            servers=parse_servers(servers, (OURS, STATIC)),
            tree=tree,
            photographs=photograph or list(PHOTOGRAPHS),
            kinds=request or list(KINDS),
            seconds=seconds,
            rounds=rounds,
            scratch=scratch,
        )
        return compare_answers(study, print_progress, watch)

    run_study(REPORT, measure, lambda run: not wrong_answers(run), results, name, as_json)
