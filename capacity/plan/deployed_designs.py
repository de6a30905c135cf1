"""The designs that are deployed as they are; a test compares them with the templates."""

from capacity.model.design import Design

PROD = Design(
    vcpus=1,
    memory_gibibytes=4,
    cache_gibibytes=94.75,
    minimum=2,
    maximum=12,
)
"""Design that stacks/designs.py deploys as `prod`."""
MUSEUM = Design(
    vcpus=0.5,
    memory_gibibytes=2,
    cache_gibibytes=14.75,
    minimum=1,
    maximum=2,
)
"""Design that the flavour `museum` deploys."""
