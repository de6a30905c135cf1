"""One request, with headers as arguments."""

import requests

from tests.integration.deliver.deliver_rig import Rig


def ask(rig: Rig, path: str, method: str = "GET", **headers: str) -> requests.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return requests.request(method, rig.url + path, headers=named, timeout=30)
