"""Vitrine: an image service for museums, libraries and archives.

The way of an image: `ingest` makes an access master of a master, `store` says where both are kept
and how a pyramid is read, `identify` gives it a name for good, `deliver` answers requests for it,
`edge` keeps the answers near viewers. Whole collections come in by `migrate` and go out by
`export`; programs use `api`, those that read for people `mcp`, and photographs that many people
send come in by `photos`. `access` says who may see what, and `authorization` gives people the
tickets for it.

The way of an object: `sources` reads the records of an institution, and the texts of its pages;
`catalogue` journals and publishes them as manifests and collections; `search` finds them; `site`
writes the pages. `text` is what is written on the pages of objects, and how it is read.
`statistics` counts who looks.

What these share: `iiif` (the grammar of requests and documents), `records`, `events`, `errors`,
`trace`, `slices`, `joined_calls`, `visible_text`, `costs`, `settings` and `ports`. What they are
made of when they run: `adapters`, put together in `bootstrap` and started by `processes`. What an
operator runs, and no deployed process has: `cli`, `local` (the service on one machine), `account`
(what an AWS account must have) and `proposal` (the first rules for a table that nobody has
described).
"""

__version__ = "0.1.0"
