"""Answers as a study's client hands them on."""

from loadtest.studies.museum.museum_classes import KINDS
from loadtest.workload.answers import Answer
from loadtest.workload.target import Target


def answer(
    seconds: float, fault: str = "", kind: str = KINDS[0], size: int = 100, **headers: str
) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(Target(kind, f"/{kind}"), seconds, 200, size, named, fault)
