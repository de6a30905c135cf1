"""How we reach AWS: clients with our timeouts and retries."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import boto3
from botocore.config import Config


@dataclass(frozen=True)
class AwsAccess:
    """Where AWS is and who we are. Everything None: the normal chain decides.

    An `endpoint_url` is an emulator: path-style bucket addresses and, unless the environment has
    others, its dummy credentials. A call is tried `attempts` times, each for `read_seconds`.
    """

    endpoint_url: str | None = None
    region: str | None = None
    dummy_credentials: bool = False
    read_seconds: float = 30
    attempts: int = 5

    def client(self, service: Any) -> Any:
        """A boto3 client, one per service: it may be used by many threads."""
        if service not in self._clients:
            self._clients[service] = self._session.client(
                service, endpoint_url=self.endpoint_url, config=self._config
            )
        return self._clients[service]

    @cached_property
    def _clients(self) -> dict[str, Any]:
        return {}

    @cached_property
    def _session(self) -> boto3.Session:
        if self.dummy_credentials:
            return boto3.Session("test", "test", region_name=self.region)
        return boto3.Session(region_name=self.region)

    @cached_property
    def _config(self) -> Config:
        return Config(
            connect_timeout=3,
            read_timeout=self.read_seconds,
            max_pool_connections=48,
            retries={"mode": "standard", "total_max_attempts": self.attempts},
            s3={"addressing_style": "path"} if self.endpoint_url else None,
        )
