"""The key-value store of the edge's function before restricted images."""

from collections.abc import Mapping
from typing import Any

from vitrine.adapters.aws.errors import translate_errors

MAX_CHANGES = 50
"""In one request (CloudFront, "Quotas": key value stores)."""


class CloudFrontEdgeKeys:
    """The store with this ARN; `client` is of `cloudfront-keyvaluestore`, which signs by SigV4A."""

    def __init__(self, client: Any, arn: str) -> None:
        self._client = client
        self._arn = arn

    def replace(self, values: Mapping[str, str]) -> None:
        with translate_errors(self._arn):
            etag = self._client.describe_key_value_store(KvsARN=self._arn)["ETag"]
            pages = self._client.get_paginator("list_keys").paginate(KvsARN=self._arn)
            found = {item["Key"]: item["Value"] for page in pages for item in page["Items"]}
            puts = [
                {"Key": key, "Value": value}
                for key, value in values.items()
                if found.get(key) != value
            ]
            deletes = [{"Key": key} for key in found if key not in values]
            # New keys first: at no moment is there less than both lists have.
            for start in range(0, max(len(puts), len(deletes)), MAX_CHANGES // 2):
                part = slice(start, start + MAX_CHANGES // 2)
                etag = self._client.update_keys(
                    KvsARN=self._arn, IfMatch=etag, Puts=puts[part], Deletes=deletes[part]
                )["ETag"]
