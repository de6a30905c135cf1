"""The start of Locust: `python -m locust -f loadtest/locustfile.py`, in the repository."""

from loadtest.locust import listeners
from loadtest.locust.load_shape import Stages
from loadtest.locust.visitor import LoadVisitor

__all__ = ["LoadVisitor", "Stages"]

listeners.add_listeners()
