"""The services of access only answer the methods that CloudFront's behavior allows."""

import http.client
import os
import subprocess
from pathlib import Path

import pytest

from rigs.free_port import free_ports
from tests.patience import SECONDS
from tests.unit.edge.edge_bench import wait_for
from tests.unit.edge.edge_vectors import FUNCTIONS
from vitrine.local.edge.edge import command, write_configuration


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_a_method_that_the_behavior_does_not_allow_is_refused_at_once(
    tmp_path: Path, method: str
) -> None:
    port, nowhere = free_ports(2)
    configuration = write_configuration(
        tmp_path,
        port=port,
        origin_port=nowhere,
        emulator_port=nowhere,
        site_bucket="site",
        functions=FUNCTIONS,
        access_host="admit.example",
    )
    path = f"{os.environ['PATH']}:/usr/sbin"
    with subprocess.Popen(command(configuration), env={"PATH": path}) as process:
        try:
            wait_for(process, port)
            for address in ("/auth/access", "/auth/token?messageId=1", "/auth/probe/3/a"):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
                connection.request(method, address, body=b"a=b")
                assert connection.getresponse().status == 403, address
                connection.close()
        finally:
            process.terminate()
            process.wait(SECONDS)
