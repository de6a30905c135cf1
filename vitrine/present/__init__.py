"""What people, viewers and machines browse: pages, manifests, searches, dumps and streams.

The way of an object: `mapping`, `harvest` and `iiif_source` read the records of an institution;
`objects` journals and publishes them; `pages` writes the site. `text`, `remarks`, `ocr` and
`readings` are about what is written on its pages, `search`, `inside` and `across` about finding it,
`discovery` and `dumps` about telling machines. `updates` does all of this for a whole collection.
"""
