"""The images keep of botocore's descriptions what the clients read, and no more."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import botocore
import pytest
from botocore.loaders import Loader
from botocore.session import Session

from layers.contents import keep_services

KEPT = ("dynamodb", "s3", "stepfunctions", "sts")
WHOLE = Path(botocore.__file__).parent / "data"
REGIONS = ("us-east-1", "eu-central-1", "cn-north-1", "us-gov-west-1")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _descriptions(tmp_path_factory.mktemp("packages"), shorten=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _descriptions(tmp_path_factory.mktemp("packages"), shorten=False)


def _descriptions(packages: Path, *, shorten: bool) -> Path:
    data = packages / "botocore" / "data"
    for name in (*KEPT, *(["sqs"] if shorten else [])):
        shutil.copytree(WHOLE / name, data / name)
    for path in WHOLE.glob("*.json"):
        shutil.copy(path, data)
    if shorten:
        keep_services(packages, KEPT)
    return data


def _client(data: Path, service: str, region: str) -> Any:
    session = Session()
    session.register_component("data_loader", Loader([str(data)], None, False, False))
    session.set_credentials("test", "test")
    return session.create_client(service, region)


def _texts(value: Any) -> Iterator[str]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name == "documentation" and isinstance(inner, str):
            yield inner
        yield from _texts(inner)


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("service", KEPT)
def test_clients_reach_the_addresses_that_whole_descriptions_name(
    data: Path, whole: Path, service: str, region: str
) -> None:
    shortened, other = _client(data, service, region), _client(whole, service, region)
    assert shortened.meta.endpoint_url == other.meta.endpoint_url
    assert shortened.meta.config.signature_version == other.meta.config.signature_version
    assert shortened.meta.config.region_name == other.meta.config.region_name
    assert shortened.meta.method_to_api_mapping == other.meta.method_to_api_mapping


@pytest.mark.parametrize("region", REGIONS)
def test_an_object_has_the_address_that_whole_descriptions_give_it(
    data: Path, whole: Path, region: str
) -> None:
    signed = [
        _client(folder, "s3", region).generate_presigned_url(
            "get_object", Params={"Bucket": "a-bucket", "Key": "a key", "VersionId": "1"}
        )
        for folder in (data, whole)
    ]
    shortened, other = (address.partition("?")[0] for address in signed)
    assert shortened == other


def test_nothing_is_kept_for_readers_or_for_services_that_nobody_calls(data: Path) -> None:
    assert sorted(path.name for path in data.iterdir() if path.is_dir()) == sorted(KEPT)
    loader = Loader([str(data)], None, False, False)
    for service in KEPT:
        assert not any(_texts(loader.load_service_model(service, "service-2")))
    partitions = loader.load_data("endpoints")["partitions"]
    assert {name for partition in partitions for name in partition["services"]} == {
        *("dynamodb", "s3", "states", "sts")
    }


def test_a_service_that_botocore_does_not_know_stops_the_build(tmp_path: Path) -> None:
    data = tmp_path / "botocore" / "data"
    data.mkdir(parents=True)
    with pytest.raises(RuntimeError, match="botocore does not describe s4"):
        keep_services(tmp_path, ["s4"])
