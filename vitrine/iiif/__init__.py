"""IIIF Image API 2.1 and 3.0: addresses, requests, their resolution, image information. Pure."""
