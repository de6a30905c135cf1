"""Access to AWS: clients with our timeouts and retries."""

import gzip
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import boto3
import botocore.session
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.exceptions import NoCredentialsError
from botocore.loaders import JSONFileLoader, Loader
from botocore.utils import determine_content_length, parse_timestamp

from vitrine.adapters.aws.credentials import RenewableCredentials, load_from_chain

CONFIRMED_BYTES = 1024 * 1024
"""Bytes of a body from which S3 has to confirm first that it wants it (`Expect: 100-continue`)."""


@dataclass(frozen=True)
class AwsAccess:
    """The endpoint, region and credentials of AWS; for None, boto3's usual chain decides.

    An `endpoint_url` is an emulator: bucket addresses are path-style. `dummy_credentials` are those
    of the emulator. A call is tried `attempts` times, each for `read_seconds`.
    """

    endpoint_url: str | None = None
    region: str | None = None
    dummy_credentials: bool = False
    read_seconds: float = 30
    attempts: int = 5

    def client(self, service: Any) -> Any:
        """Return the boto3 client of a service, which may be used by many threads."""
        if service not in self._clients:
            self._clients[service] = self._session.client(
                service, endpoint_url=self.endpoint_url, config=self._config
            )
        return self._clients[service]

    def presign_read(self, bucket: str, key: str, seconds: int) -> str:
        """Return an address at which anyone may read one object for `seconds`."""
        address: str = self.signing_client().generate_presigned_url(
            "get_object", Params={"Bucket": bucket, "Key": key}, ExpiresIn=seconds
        )
        return address

    def sign(self, request: AWSRequest, service: str) -> None:
        """Add a signature of version 4 to a request that no client sends."""
        credentials = self._session.get_credentials()
        if credentials is None:
            raise NoCredentialsError
        frozen = credentials.get_frozen_credentials()
        SigV4Auth(frozen, service, self._session.region_name).add_auth(request)

    def signing_client(self) -> Any:
        """Return a client of S3 that signs addresses for others."""
        # By default boto3 signs addresses with version 2, which newer buckets reject, and for the
        # host of all regions, which redirects to one that the signature does not fit.
        signing = Config(
            signature_version="s3v4",
            s3={
                "addressing_style": "path" if self.endpoint_url else "virtual",
                # The name of the bucket's region there too: the desk's policy has it.
                "us_east_1_regional_endpoint": "regional",
            },
        )
        return self._session.client(
            "s3", endpoint_url=self.endpoint_url, config=self._config.merge(signing)
        )

    @cached_property
    def _clients(self) -> dict[str, Any]:
        return {}

    @cached_property
    def _session(self) -> boto3.Session:
        core = botocore.session.Session()
        core.register_component("data_loader", _load_models())
        if self.dummy_credentials:
            core.set_credentials("test", "test")
        else:
            credentials = RenewableCredentials(partial(load_from_chain, self.region))
            core.register_component("credential_provider", credentials)
            core.register("after-call", credentials.note_answer)
        core.get_component("response_parser_factory").set_parser_defaults(
            timestamp_parser=_parse_timestamp
        )
        # Behind botocore's own, which asks for the confirmation.
        emitter = core.get_component("event_emitter")
        emitter.register_last("before-call.s3", _send_short_body_at_once)
        return boto3.Session(botocore_session=core, region_name=self.region)

    @cached_property
    def _config(self) -> Config:
        return Config(
            connect_timeout=3,
            read_timeout=self.read_seconds,
            max_pool_connections=48,
            # Otherwise it is put together for each call, which takes a twentieth of it.
            user_agent="vitrine",
            retries={"mode": "standard", "total_max_attempts": self.attempts},
            s3={"addressing_style": "path"} if self.endpoint_url else None,
        )


def _send_short_body_at_once(params: dict[str, Any], **_: Any) -> None:
    """Do not wait for S3 to confirm that it wants a body: that takes a way there and back."""
    if "Expect" in params["headers"]:
        length = determine_content_length(params["body"])
        if length is not None and length < CONFIRMED_BYTES:
            del params["headers"]["Expect"]


def _parse_timestamp(value: Any) -> datetime:
    """Parse the times of HTTP's headers and of XML as the standard library does.

    botocore's parser, of times of any form, takes a seventh of what a small GET takes.
    """
    if isinstance(value, str):
        for parse in (parsedate_to_datetime, datetime.fromisoformat):
            with suppress(ValueError):
                return parse(value)
    return parse_timestamp(value)


class _ModelFiles(JSONFileLoader):
    """Models as plain dictionaries, which keep their order too and are read in half the time."""

    def load_file(self, file_path: str) -> Any:
        """Return what `file_path` with its ending holds; None without a file."""
        for ending, unpack in ((".json", bytes), (".json.gz", gzip.decompress)):
            path = Path(file_path + ending)
            if path.is_file():
                return json.loads(unpack(path.read_bytes()))
        return None


class _Models(Loader):
    """Descriptions of AWS's services: reading them is most of what a client costs."""

    FILE_LOADER_CLASS = _ModelFiles

    def list_available_services(self, type_name: str) -> list[str]:
        """Return the services: botocore looks into 450 folders for those with such a model."""
        folders = [Path(path) for path in self.search_paths]
        return [entry.name for folder in folders if folder.is_dir() for entry in folder.iterdir()]


@cache
def _load_models() -> Loader:
    """Return what reads the descriptions, for all sessions of the process.

    A session's own would read them again.
    """
    return _Models()
