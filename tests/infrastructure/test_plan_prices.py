"""`vitrine-capacity plan` computes with what the templates deploy."""

import pytest

from capacity.model.cost_profile import CostProfile
from capacity.plan import bill
from capacity.plan import deployed_designs as designs
from capacity.plan.collection_size import CollectionSize
from capacity.plan.flavour_prices import FUNCTION_GIBIBYTES, MUSEUM_STANDING, serverless_lines
from capacity.plan.plan_limits import idle_usage
from capacity.plan.question import Question
from capacity.plan.storage_tiers import Tiers
from docs.build.idle_price_page import idle_month
from stacks.constructs.image_service import SCALE_IN_SECONDS, SCALE_OUT_SECONDS, TARGET_CPU_PERCENT
from stacks.constructs.image_task import FREE_DISK_GIBIBYTES
from stacks.constructs.network import INTERFACES
from stacks.constructs.web_acl import count_rules
from stacks.designs import PROD
from stacks.flavours import FLAVOURS, take_flavour
from vitrine.costs import kept_objects


def test_the_design_prod_is_what_prod_deploys():
    task, design = PROD.image_task, designs.PROD
    assert design.vcpus * 1024 == task.cpu_units
    assert design.memory_gibibytes * 1024 == task.memory_mebibytes
    assert design.cache_gibibytes * 1024 == PROD.cache_mebibytes
    assert (design.minimum, design.maximum) == (task.minimum, task.maximum)
    assert design.spot_share_percent == task.spot_share_percent
    assert design.origin_shield == PROD.origin_shield
    assert design.target_cpu_percent == TARGET_CPU_PERCENT
    profile = CostProfile.default()
    assert profile.scale_out_seconds == SCALE_OUT_SECONDS
    assert profile.scale_in_seconds == SCALE_IN_SECONDS


def test_a_plan_that_nobody_visits_costs_the_idle_price():
    nothing_kept = CollectionSize(0, 0, 0, 0, [], 0, Tiers(1, 0, 0))
    lines = bill.make_bill(designs.PROD, idle_usage(2), nothing_kept, PROD.region)
    assert bill.sum_lines(lines) == pytest.approx(idle_month(PROD))


def test_what_is_always_there_is_counted_as_it_is_deployed():
    assert len(INTERFACES) == bill.ENDPOINTS
    assert PROD.endpoint_zones == bill.ZONES
    assert count_rules(PROD) == bill.WEB_ACL_RULES
    assert PROD.log_days == bill.LOG_DAYS
    assert PROD.reconcile_hours == bill.RECONCILE_HOURS
    assert bill.FREE_DISK_GIBIBYTES == FREE_DISK_GIBIBYTES


def test_masters_and_access_masters_are_billed_in_the_classes_that_the_lifecycle_moves_them_to(
    templates,
):
    moves = {
        name: [
            (rule["StorageClass"], rule["TransitionInDays"])
            for lifecycle in templates.one("AWS::S3::Bucket", name).properties[
                "LifecycleConfiguration"
            ]["Rules"]
            for rule in lifecycle.get("Transitions", [])
        ]
        for name in ("Masters", "AccessMasters")
    }
    assert moves == {
        "Masters": [(kept_objects.MASTERS_CLASS, kept_objects.MASTERS_DAYS)],
        "AccessMasters": [],
    }


def test_access_masters_never_leave_the_tiers_that_are_billed(templates):
    bucket = templates.one("AWS::S3::Bucket", "AccessMasters").properties
    assert "IntelligentTieringConfigurations" not in bucket


def test_the_variant_museum_is_what_the_flavour_deploys():
    environment, design = take_flavour(PROD, "museum"), designs.MUSEUM
    task = environment.image_task
    assert design.vcpus * 1024 == task.cpu_units
    assert design.memory_gibibytes * 1024 == task.memory_mebibytes
    assert design.cache_gibibytes * 1024 == environment.cache_mebibytes
    assert (design.minimum, design.maximum) == (task.minimum, task.maximum)
    assert environment.endpoint_zones == MUSEUM_STANDING.zones
    assert environment.architecture == MUSEUM_STANDING.architecture


def test_a_flavour_that_nobody_visits_costs_its_idle_price():
    nothing_kept = CollectionSize(0, 0, 0, 0, [], 0, Tiers(1, 0, 0))
    question = Question(region=PROD.region, free_tier=False)
    museum = bill.month_of(designs.MUSEUM, idle_usage(1), nothing_kept, question, MUSEUM_STANDING)
    assert bill.sum_lines(museum) == pytest.approx(idle_month(take_flavour(PROD, "museum")))
    function = serverless_lines(museum, idle_usage(0), question, 0, CostProfile.default())
    assert bill.sum_lines(function) == pytest.approx(idle_month(take_flavour(PROD, "serverless")))


def test_the_lambda_is_as_large_as_it_is_priced():
    size = FLAVOURS["serverless"].values["image_function"]
    assert size.memory_mebibytes == FUNCTION_GIBIBYTES * 1024
