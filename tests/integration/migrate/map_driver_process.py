"""A command that migrates a folder by the deployed map: `python -m … FOLDER PLAN`.

`vitrine masters migrate` would not on one machine, where it drives `migrate_master` itself.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

from tests.integration.migrate.deployed_map import connect_map_runs
from vitrine.bootstrap.deployed_services import migration_services
from vitrine.bootstrap.local_service import LocalService, local_directory
from vitrine.migrate.cloud_driver import CloudDriver
from vitrine.migrate.plan import MigrationPlan
from vitrine.migrate.prepare import Collection, prepare_plan
from vitrine.migrate.tolerance import Tolerance


def main(folder: Path, plan_path: Path) -> int:
    """Migrate, and return 0 if every master has a result."""
    service = LocalService.load(local_directory())
    assert service is not None
    map_runs = connect_map_runs(service)
    services = replace(migration_services("local"), map_runs=map_runs)
    with MigrationPlan(plan_path) as plan:
        prepare_plan(plan, Collection(place=folder), "local", services)
        driver = CloudDriver(
            services=services,
            map_runs=map_runs,
            plan=plan,
            at_once=0,
            tolerance=Tolerance(5),
            sleep=lambda seconds: time.sleep(0.5),
        )
        return 0 if driver.run() else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
