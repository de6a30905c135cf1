"""The gateway: answers IIIF requests, hands what must be rendered to iipsrv."""
