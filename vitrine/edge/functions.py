"""The functions of the edge: the files of each, which are one text. One table for two edges.

The files are in `stacks/functions`. CloudFront takes one text for each function, of at most 10,240
bytes; nginx on one machine takes the same text as a module.
"""

VIEWER_REQUEST = ("answers.js", "viewer_request.js")
"""Runs before everything that the others do not run before."""
RESTRICTED_REQUEST = ("answers.js", "ticket.js", "restricted_request.js")
"""Runs before restricted images."""
CONTENT_SEARCH_REQUEST = ("answers.js", "content_search_request.js")
"""Runs before searches inside objects."""
AUTH_REQUEST = ("auth_request.js",)
"""Runs before the services of access."""
PHOTO_REQUEST = ("photo_request.js",)
"""Runs before a photo door that is a Lambda."""
MCP_REQUEST = ("mcp_request.js",)
"""Runs before the endpoint for programs that speak MCP."""
PAGE_RESPONSE = ("page_response.js",)
"""Runs after the site's bucket."""
