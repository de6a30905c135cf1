"""What `make test` leaves to `make test-nightly`, and why it need not run with each change.

Whole files, by the beginnings of their names. A reason says which quicker tests notice most faults
of the same kind, where there are such.
"""

from pathlib import Path

import pytest

NIGHTLY = {
    "tests/integration/containers/": "builds and runs the container images; their programs and "
    "configuration run in the tests of delivery and of the edge",
    "tests/integration/local/test_runbooks_of_": "follows run books on a machine of its own",
    "tests/integration/deliver/test_runbooks.py": "follows run books of the image task",
    "tests/integration/local/test_howto_deploy.py": "follows the page on deployment; "
    "tests/unit/docs compares its commands with models of AWS and the CDK",
    "tests/integration/local/test_tutorial.py": "follows the tutorial to the letter; "
    "tests/unit/docs checks its commands",
    "tests/integration/local/test_giants_on_one_machine.py": "converts giants in tasks; "
    "tests/unit/ingest chooses the route",
    "tests/integration/local/test_export_on_one_machine.py": "moves a whole service; "
    "tests/unit/export has each part",
    "tests/integration/local/test_operators_key.py": "deploys all stacks under a key; "
    "tests/infrastructure/test_key_promises.py has their templates",
    "tests/integration/local/test_departments_on_one_machine.py": "deploys a service with "
    "departments; tests/unit/api and test_department_promises.py have what each is refused",
    "tests/integration/local/test_schedule_on_one_machine.py": "waits for `vitrine up`'s timer",
    "tests/integration/local/test_photo_function_on_one_machine.py": "the photo door as a Lambda; "
    "as a part of the image task it is tested with every change",
    "tests/integration/local/test_withdrawal_on_one_machine.py": "loses events on a machine of its "
    "own; tests/unit/ingest has the reconciler",
    "tests/integration/migrate/": "migrates at length; tests/unit/migrate has the drivers",
    "tests/integration/loadtest/": "studies, drills and load tests against real servers",
    "tests/integration/capacity/": "simulations in processes of their own",
    "tests/e2e/test_first_looks.py": "publishes all photographs of the sample; test_page.py looks "
    "at one image",
    "tests/unit/docs/test_assets_page.py": "what each process imports; "
    "tests/infrastructure/test_lambda_layers.py has what the Lambdas may import",
    "tests/infrastructure/test_validation.py": "cfn-lint, the CDK's rules and cdk-nag on every "
    "environment; the promises and the emulator's deployment read the templates with every change",
    "tests/infrastructure/test_each_option_off.py": "each option alone; test_options_off.py has "
    "them all at once",
    "tests/infrastructure/test_loadtest_promises.py": "the stack of load tests",
    "tests/infrastructure/test_own_environments.py": "the promises on edited environments",
    "tests/integration/authorization/": "signing in with a certified "
    "provider; e2e/test_access.py does too",
    "tests/integration/ingest/test_odd_keys.py": "a long table of keys; tests/unit/ingest has each",
    "tests/integration/ingest/test_rejection_mail.py": "a subscription to rejections",
    "tests/integration/ingest/test_jpeg2000_memory.py": "the memory of conversions",
    "tests/unit/ingest/convert/test_memory.py": "likewise",
    "tests/unit/ingest/inspect/test_reading_cost.py": "the cost of reading hostile files",
    "tests/unit/edge/test_restricted_properties.py": "random requests for restricted images",
    "tests/unit/export/test_rules_read_back.py": "every rule out and in again",
    "tests/unit/export/test_restricted_export.py": "restricted images in exports",
    "tests/unit/catalogue/test_rules_by_reference.py": "an attack on rules of access",
    "tests/unit/catalogue/test_rules_case_by_case.py": "a death or another command between any two "
    "writes; test_rules_of_collections.py has the usual cases",
    "tests/unit/catalogue/test_rules_in_any_order.py": "rules of access in random orders",
    "tests/unit/site/pages/test_any_order.py": "pages in random orders",
    "tests/unit/local/test_setup.py": "the script of the set-up against faulty systems",
    "tests/unit/capacity/": "the planner and the simulator, which nothing deployed imports",
    "tests/integration/deliver/test_cold.py": "reads gigabytes from a store",
    "tests/integration/deliver/test_load_faults.py": "many clients while parts die",
    "tests/integration/deliver/test_gateway_processes.py": "processes that fall under load",
    "tests/integration/deliver/test_downloads.py": "whole images at full resolution",
    "tests/integration/deliver/test_republish.py": "an image published again under load",
    "tests/integration/deliver/test_switch.py": "an image replaced behind an edge under load",
    "tests/integration/deliver/render/test_iipsrv_patches.py": "each patch with and without it",
    "tests/integration/deliver/test_swarm.py": "a swarm against the image task",
    "tests/integration/deliver/test_store_faults.py": "every fault of S3 under load; "
    "tests/unit/deliver has each alone",
    "tests/integration/deliver/test_tiles_in_a_browser.py": "colours of every writer in Chromium",
    "tests/integration/readers/": "viewers and tools of others; tests/unit/iiif has our documents",
    "tests/integration/fuzz/": "short runs of the fuzzers",
    "tests/integration/packaging/": "builds and installs the wheel; makes bare systems of "
    "Debian, and starts the service on them",
    "tests/unit/ingest/convert/test_corruption.py": "damages every part of files of every format; "
    "tests/unit/ingest has one of each kind",
    "tests/integration/local/test_serverless_on_one_machine.py": "the flavour serverless on a "
    "machine of its own; its Lambda is in tests/unit/deliver",
    "tests/integration/local/test_emulator_": "each patch of the emulator, which is pinned, with "
    "and without it; the services of other tests run with all of them",
    "tests/integration/local/test_reconciler_role.py": "every right of the reconciler",
    "tests/integration/local/test_deploy_check.py": "asks an account of the emulator's",
    "tests/integration/local/test_dumps_by_the_environment.py": "dumps by the deployed schedule; "
    "tests/unit/site/dumps has the Lambda",
    "tests/integration/local/test_visits_by_the_environment.py": "visits by the deployed schedule; "
    "tests/unit/lambdas has the Lambda",
    "tests/integration/local/test_starts_on_one_machine.py": "starts that fail, one by one",
    "tests/integration/local/test_ocr_on_one_machine.py": "reads pages on a machine of its own; "
    "tests/unit/sources/ocr has the Lambda",
    "tests/integration/local/test_photo_door_on_one_machine.py": "the photo door on a machine of "
    "its own; tests/integration/photos has the door behind nginx",
    "tests/integration/local/test_updates_by_the_environment.py": "waits for a schedule; "
    "tests/unit/sources/updates has the Lambda",
    "tests/integration/local/test_invalidation_on_one_machine.py": "waits until caches expire",
    "tests/integration/local/test_links_on_one_machine.py": "links of lists while masters are "
    "missing, refused or withdrawn, on a machine; tests/unit/site/pages follows every link",
    "tests/integration/local/test_mcp_on_one_machine.py": "the protocol's own client, against a "
    "machine; tests/unit/mcp has the endpoint",
    "tests/integration/local/test_access_of_a_table.py": "tables that restrict images; "
    "tests/unit/sources/updates has the rules",
    "tests/integration/local/test_full_text_search_on_one_machine.py": "searches in the texts "
    "of all objects, on a machine; tests/unit/search/full_text has the index",
    "tests/integration/local/test_collection_in_a_bucket.py": "a collection whose masters are in a "
    "bucket, on a machine; tests/unit/migrate has the sources",
    "tests/unit/loadtest/": "the laboratory, which nothing deployed imports",
    "tests/e2e/test_photo_form.py": "the photo door's form in a browser",
    "tests/e2e/test_accessibility.py": "axe on every kind of page",
    "tests/e2e/test_other_viewers.py": "Mirador and Universal Viewer as the site serves them",
    "tests/e2e/test_search_texts.py": "texts of pages found in a browser",
    "tests/e2e/test_static_copy.py": "OpenSeadragon on a static copy",
    "tests/e2e/test_desk_thousand.py": "a thousand masters over a connection that breaks; "
    "test_desk.py sends a few",
    "tests/e2e/test_desk_held_pictures.py": "pictures that wait closed until they are published; "
    "test_desk.py publishes",
    "tests/e2e/test_desk_figures.py": "what the desk costs, on a quiet machine",
    "tests/e2e/test_embedding.py": "the page for frames in another site",
    "tests/e2e/test_page_audits.py": "Lighthouse on every kind of page",
    "tests/e2e/test_first_views.py": "what the map and the timeline of 100,000 objects load",
    "tests/unit/statistics/test_ten_million_lines.py": "a day of ten million lines; "
    "test_count.py has every rule",
    "tests/e2e/test_way_in.py": "our own pages let people in",
    "tests/e2e/test_viewers.py": "every canvas of every object in Mirador and Universal Viewer",
    "tests/e2e/test_viewers_of_version_1.py": "signing in inside Mirador 4 and Universal Viewer 4",
    "tests/e2e/test_content_search.py": "searching inside a book in three viewers of others",
}
"""Reasons by beginnings of the names of files."""


def is_nightly(path: str) -> bool:
    """Return True if a file of tests, named from the repository's root, waits for the night."""
    return path.startswith(tuple(NIGHTLY))


def is_slow(path: Path, config: pytest.Config) -> bool:
    """Return True for a file of slow tests alone if those are left out: it need not be imported."""
    return (
        config.getoption("markexpr") == "not slow"
        and path.suffix == ".py"
        and "\npytestmark = pytest.mark.slow\n" in path.read_text()
    )


def add_options(parser: pytest.Parser) -> None:
    """Add the option that runs everything."""
    parser.addoption("--nightly", action="store_true", help="Run what waits for the night as well.")


def is_ignored(path: Path, config: pytest.Config) -> bool:
    """Return True for a file that waits for the night, unless it or its folder is requested for."""
    name = path.relative_to(config.rootpath).as_posix()
    if config.getoption("--nightly") or not is_nightly(name):
        return False
    requested = (Path(given.partition("::")[0]) for given in config.args)
    inside = (one.relative_to(config.rootpath) if one.is_absolute() else one for one in requested)
    return not any(is_nightly(_as_prefix(one)) and Path(name).is_relative_to(one) for one in inside)


def _as_prefix(path: Path) -> str:
    """Return a path's name as `NIGHTLY` has it: a folder's ends with a slash."""
    return path.as_posix() if path.suffix else f"{path.as_posix()}/"


def describe() -> str:
    """Return what waits for the night, a line for each beginning of names."""
    return "\n".join(f"{beginning} {reason}" for beginning, reason in NIGHTLY.items())
