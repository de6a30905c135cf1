"""Versions of the servers that were started and measured."""

import json
import subprocess
from collections.abc import Sequence

from loadtest.servers.iiif_processor import iiif_processor

_PACKAGES = ("nginx", "iipimage-server")


def list_versions(servers: Sequence[str]) -> dict[str, str]:
    """Return the versions of Debian's packages, and of node and iiif-processor if measured."""
    if not servers:
        return {}
    found = {
        name: _installed_version("dpkg-query", "-W", "-f=${Version}", name) for name in _PACKAGES
    }
    if "iipsrv-memcached" in servers:
        found["memcached"] = _installed_version("dpkg-query", "-W", "-f=${Version}", "memcached")
    if "iiif-processor" in servers:
        package = json.loads((iiif_processor.SOURCE / "package.json").read_text())
        found["iiif-processor"] = package["dependencies"]["iiif-processor"]
        found["node"] = _installed_version("node", "--version")
    return found


def _installed_version(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "not installed as a package"
