"""Documents of the Presentation API as a client gets them."""

import gzip
import json
import urllib.error
import urllib.request
from typing import Any

import brotli

READ = {"br": brotli.decompress, "gzip": gzip.decompress, "identity": bytes}


def ask(url: str, accept_encoding: str = "br") -> tuple[int, Any]:
    """The status, and the document in the asked-for coding, or the reason."""
    request = urllib.request.Request(url, headers={"Accept-Encoding": accept_encoding})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.headers.get("Content-Encoding", "identity") == accept_encoding
            return answer.status, json.loads(READ[accept_encoding](answer.read()))
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())["reason"]
