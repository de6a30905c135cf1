"""The gateway: answers IIIF requests, and has iipsrv render what it does not render itself.

A request goes through `server` (processes and sockets) and `http` to `answer`, which decides. Tiles
are taken from `tiles`, over opened `pyramids` and cached `blocks`; everything else is made by
`render`, and gets its metadata from `embed`. See docs/explanations/how-a-request-is-answered.md.
"""
