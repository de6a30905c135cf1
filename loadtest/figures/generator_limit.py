"""The use above which a load generator was itself the limit, and its figures prove nothing."""

GENERATOR_LIMIT = 0.8
"""Share of its core that a generator may use. In a queue before a single server, an answer takes
1 / (1 - use) times its own work: five times at 80 %, ten times at 90 %. A run's use is an average,
too: above 0.8 a generator was certainly busy enough at times to delay requests."""


def is_generator_limited(cores: float) -> bool:
    """Return True if a generator that used these cores was the limit."""
    return cores > GENERATOR_LIMIT
