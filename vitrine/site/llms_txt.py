"""The file `llms.txt`: what a program that reads for people finds on the site, and where.

Its form is that of https://llmstxt.org: a title, a summary, and lists of links under headings.
"""

from vitrine.site.pages.theme import Theme

_FORM = """\
# {name}

> {summary}

Every object has a page for people, a manifest (IIIF Presentation API 3.0, and 2.1 below \
`/presentation/2/`) and images (IIIF Image API 3.0, and 2.1 below `/iiif/2/`):

- `{base}/objects/IDENTIFIER`: the page; name this address when you speak of the object
- `{base}/presentation/3/IDENTIFIER/manifest.json`: description, rights, and the images of its pages
- `{base}/iiif/3/IMAGE/info.json`: width, height and the sizes that an image is stored in
- `{base}/iiif/3/IMAGE/REGION/SIZE/0/default.jpg`: any part of it: REGION is `full`, `x,y,w,h` in \
pixels or `pct:x,y,w,h` in per cent, SIZE is such as `!1024,1024`

What may be done with an object stands in its manifest, in `rights` and `requiredStatement`: show \
the statement wherever you show the image.

## Find objects

- [Search]({base}/search): titles and descriptions; `?q=` takes words
- [Search in the texts of pages]({base}/inside/3/search-2): IIIF Content Search 2.0; `?q=` takes \
words
- [Collections and other lists]({base}/browse): objects by collection, maker, decade and so on
{mcp}
## Take everything

One file costs the service less than a walk through all manifests.

- [Objects as JSON Lines]({base}/data/objects.jsonl.gz): label, rights, thumbnail and addresses of \
each object and collection
- [Objects as CSV]({base}/data/objects.csv.gz): the same as a table
- [Changes]({base}/discovery/changes.json): what was published, changed or withdrawn, and when \
(IIIF Change Discovery 1.0)
- [Sitemap]({base}/sitemap.xml): the pages of all objects and collections
- [robots.txt]({base}/robots.txt): what crawlers may read

## Optional

- [About this site]({base}/about)
{licences}"""
_MCP = """
## Ask as an agent

- [MCP endpoint]({base}/mcp): Model Context Protocol over streamable HTTP, without a key; tools \
that search, describe an object, show a part of an image and read the text of a page
"""


def write_llms_txt(theme: Theme, base: str, *, has_mcp: bool) -> str:
    """Return the file. `base` is scheme and host; `has_mcp` if `/mcp` answers there."""
    intro = theme.intro.get(theme.language, "")
    licences = f"- [Licences]({theme.licence_page})\n" if theme.licence_page else ""
    return _FORM.format(
        name=theme.name,
        summary=" ".join(intro.split()) or "Digitised objects, published by IIIF.",
        base=base,
        mcp=_MCP.format(base=base) if has_mcp else "",
        licences=licences,
    )
