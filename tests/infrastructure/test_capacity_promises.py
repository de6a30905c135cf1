"""The capacity simulator simulates the service that the stacks deploy."""

from capacity.model.cost_profile import CostProfile
from capacity.model.design import Design
from stacks.constructs import image_service
from stacks.constructs.image_balancer import DRAIN_SECONDS


def test_the_simulated_autoscaler_is_the_deployed_one() -> None:
    profile = CostProfile.default()
    design = Design(vcpus=1, memory_gibibytes=4, cache_gibibytes=15, minimum=1, maximum=2)
    assert design.target_cpu_percent == image_service.TARGET_CPU_PERCENT
    assert profile.metric_seconds == image_service.METRIC_SECONDS
    assert profile.scale_out_seconds == image_service.SCALE_OUT_SECONDS
    assert profile.scale_in_seconds == image_service.SCALE_IN_SECONDS
    assert profile.drain_seconds == DRAIN_SECONDS
