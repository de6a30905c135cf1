"""What a call of each tool of `/mcp` takes: CPU, memory, bytes, and dollars of a million.

    python -m tests.e2e.mcp_figures [--url URL] [--calls 50] [--query WORDS]

The endpoint runs in this process, as in a warm Lambda, and reads at a service that runs. The object
is the first that the query finds, the picture its first page. Dollars are list prices of REGION,
if a call takes LAMBDA_SECONDS there. Bytes that tools read count as they are without compression.
"""

import argparse
import asyncio
import json
import resource
import statistics
import time
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import httpx2

from vitrine.api.http import ApiRequest
from vitrine.costs.prices import price
from vitrine.mcp import endpoint as endpoint_module
from vitrine.mcp.endpoint import McpEndpoint
from vitrine.mcp.visitor import Answer, Visitor

HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
}
LAMBDA_GIBIBYTES = 1
LAMBDA_SECONDS = 0.3
"""Assumed for a call, on the clock: it waits for answers from the edge."""
WARM_UP = 5
"""Calls of each tool that are not counted."""
REGION = "eu-west-1"
Arguments = dict[str, Any]


@dataclass(frozen=True)
class ToolFigures:
    """What a call of a tool takes."""

    tool: str
    cpu_milliseconds: float
    """Of this process, on average."""
    clock_milliseconds: float
    """Median, with the service on the same machine."""
    answer_bytes: int
    reads: int
    """Addresses of the service that it reads."""
    read_bytes: int

    @property
    def lambda_usd(self) -> float:
        """USD of a million calls: API Gateway and Lambda."""
        return (
            price("HTTP API, million requests", REGION).usd
            + price("Lambda, million requests", REGION).usd
            + 1e6 * LAMBDA_SECONDS * LAMBDA_GIBIBYTES * price("Lambda, GB-second", REGION).usd
        )

    @property
    def edge_usd(self) -> float:
        """USD of a million calls: CloudFront's requests and bytes, to the program and the tool."""
        requests = 1 + self.reads
        return 1e6 * (
            requests * price("CloudFront, ten thousand HTTPS requests", REGION).usd / 10_000
            + requests * price("CloudFront Functions, million", REGION).usd / 1e6
            + (self.answer_bytes + self.read_bytes)
            * price("CloudFront, GB out, first 10 TB", REGION).usd
            / 1e9
        )


class CountedVisitor(Visitor):
    """A visitor that counts what it reads."""

    def __init__(self, client: httpx2.AsyncClient, base: str) -> None:
        super().__init__(client, base)
        self.close = client.aclose
        self.sizes: list[int] = []
        """Bytes of each answer."""

    async def read(self, path: str, most: int) -> Answer:
        """Read as any visitor does."""
        answer = await super().read(path, most)
        self.sizes.append(len(answer.body))
        return answer


def measure_tools(edge_url: str, calls: int, query: str) -> list[ToolFigures]:
    """Return the figures of each tool that works with what the query finds.

    Raises SystemExit if it finds nothing.
    """
    opened: list[CountedVisitor] = []

    def open_visitor(client: httpx2.AsyncClient, base: str) -> CountedVisitor:
        opened.append(CountedVisitor(client, base))
        return opened[0]

    with asyncio.Runner() as runner, patch.object(endpoint_module, "Visitor", open_visitor):
        endpoint = McpEndpoint(runner, edge_url)
        try:
            requests = _list_calls(endpoint, query)
            return [
                _measure_tool(endpoint, opened[0], tool, arguments, calls)
                for tool, arguments in requests.items()
            ]
        finally:
            runner.run(opened[0].close())


def _list_calls(endpoint: McpEndpoint, query: str) -> dict[str, Arguments]:
    """Return what each tool is called with: the first object that is found, and its first page."""
    found = _call(endpoint, "search", {"query": query})[0]["structuredContent"]["objects"]
    if not found:
        raise SystemExit(f"No object has {query!r}: --query WORDS")
    identifier = found[0]["identifier"]
    shown = _call(endpoint, "get_object", {"identifier": identifier})[0]["structuredContent"]
    page = shown["pages"][0]
    text = {"get_page_text": {"identifier": identifier, "page": 1}} if page["has_text"] else {}
    return {
        "search": {"query": query},
        "get_object": {"identifier": identifier},
        "get_image_region": {"image": page["image"]},
        **text,
    }


def _measure_tool(
    endpoint: McpEndpoint, visitor: CountedVisitor, tool: str, arguments: Arguments, calls: int
) -> ToolFigures:
    for _ in range(WARM_UP):
        _call(endpoint, tool, arguments)
    visitor.sizes.clear()
    times: list[float] = []
    began = time.process_time()
    size = 0
    for _ in range(calls):
        started = time.perf_counter()
        size = _call(endpoint, tool, arguments)[1]
        times.append(time.perf_counter() - started)
    used = time.process_time() - began
    return ToolFigures(
        tool=tool,
        cpu_milliseconds=1_000 * used / calls,
        clock_milliseconds=1_000 * statistics.median(times),
        answer_bytes=size,
        reads=len(visitor.sizes) // calls,
        read_bytes=sum(visitor.sizes) // calls,
    )


def _call(endpoint: McpEndpoint, tool: str, arguments: Arguments) -> tuple[Any, int]:
    """Return what a tool answers, and the bytes of the answer. Raises RuntimeError for an error."""
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = endpoint.answer(
        ApiRequest(
            method="POST", path="/mcp", headers=HEADERS, body=json.dumps(body).encode(), caller=""
        )
    )
    result = json.loads(answer.body).get("result", {})
    if answer.status != 200 or result.get("isError", True):
        raise RuntimeError(f"{tool}: {answer.status} {answer.body.decode()[:500]}")
    return result, len(answer.body)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--query", default="flower")
    options = parser.parse_args()
    print("| tool | CPU, ms | clock, ms | bytes | reads | bytes read | Lambda, $ | edge, $ |")
    print("|---|" + "---:|" * 7)
    for one in measure_tools(options.url.rstrip("/"), options.calls, options.query):
        print(
            f"| `{one.tool}` | {one.cpu_milliseconds:.1f} | {one.clock_milliseconds:.1f} "
            f"| {one.answer_bytes:,} | {one.reads} | {one.read_bytes:,} "
            f"| {one.lambda_usd:.2f} | {one.edge_usd:.2f} |"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024
    print(f"memory at most: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
