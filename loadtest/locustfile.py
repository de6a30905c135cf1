"""What Locust starts from: `python -m locust -f loadtest/locustfile.py`, in the repository."""

from loadtest import options, run
from loadtest.stages import Stages
from loadtest.visitor import LoadVisitor

__all__ = ["LoadVisitor", "Stages"]

options.listen()
run.listen()
