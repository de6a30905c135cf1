"""The endpoint for programs that speak the Model Context Protocol.

It is a visitor: each tool reads the public addresses of the service (`visitor`), so that it shows
what anybody sees, at the price that anybody pays. `search`, `objects`, `image_regions` and
`page_texts` are its tools, `server` offers them, and `exchange` answers a request of HTTP.
"""
