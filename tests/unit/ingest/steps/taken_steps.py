"""The first steps of a master, for tests of those that follow."""

from pathlib import Path

from vitrine.ingest.messages import IngestMaster, MasterConverted
from vitrine.ingest.services import IngestServices
from vitrine.ingest.start.start_ingest import StartResult, start_ingest
from vitrine.ingest.steps.check_master import check_master
from vitrine.ingest.steps.convert_master import convert_master
from vitrine.ingest.steps.verify_access_master import verify_access_master
from vitrine.store.layout import execution_name

KEY = "a/nachtwache.tif"


def upload(services: IngestServices, path: Path, key: str = KEY, **metadata: str) -> str:
    info = services.masters.upload(path, key, content_type="image/tiff", metadata=metadata)
    return info.version


def request(services: IngestServices, key: str = KEY) -> IngestMaster:
    assert start_ingest(services, key) is StartResult.STARTED
    version = services.masters.head(key).version
    executions = services.pipeline.executions  # type: ignore[attr-defined]
    return IngestMaster.from_json(executions[execution_name(key, version)])


def converted(services: IngestServices, key: str = KEY) -> MasterConverted:
    step_input = request(services, key)
    check_master(services, step_input)
    return verify_access_master(services, convert_master(services, step_input))
