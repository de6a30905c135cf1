"""ConvertMaster as a task of Fargate: `python3 -m lambdas.convert_master.task`.

VITRINE_CONVERSION names the request in the bucket of records, where the task writes the outcome.
Exit code 0 means that there is an outcome, perhaps a rejection; with any other exit code the task
may be tried again.
"""

import os

from aws_lambda_powertools import Logger

from vitrine.bootstrap.ingest import ingest_services
from vitrine.ingest.steps.convert_giant import convert_giant


def main() -> None:
    """Convert the requested master; raises TransientError, and OSError if the disk is too small."""
    logger = Logger(service="convert_master")
    conversion = os.environ["VITRINE_CONVERSION"]
    outcome = convert_giant(ingest_services(), conversion)
    logger.info("step completed", conversion=conversion, outcome=next(iter(outcome)))


if __name__ == "__main__":
    main()
