"""What the endpoint for programs that speak MCP works with."""

import asyncio
import os
from functools import cache

from vitrine.bootstrap.local_service import DIRECTORY_VARIABLE, local_service
from vitrine.mcp.endpoint import McpEndpoint
from vitrine.settings.edge import McpSettings


@cache
def mcp_endpoint() -> McpEndpoint:
    """Return the endpoint of a Lambda, which reads at the addresses that visitors know.

    Raises NotRunning.
    """
    settings = McpSettings.from_environment(os.environ)
    on_this_machine = bool(os.environ.get(DIRECTORY_VARIABLE))
    base = local_service().edge_url if on_this_machine else settings.public_base_url
    return McpEndpoint(asyncio.Runner(), base)
