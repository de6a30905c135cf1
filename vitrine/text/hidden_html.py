"""Elements of HTML that browsers do not show, with all that is in them.

https://html.spec.whatwg.org/multipage/rendering.html#hidden-elements; and what stands in for an
element that all of today's browsers have, such as a video.
"""

HIDDEN = frozenset(
    (
        *("datalist", "noembed", "noframes", "noscript", "script", "style", "template", "title"),
        *("audio", "canvas", "iframe", "math", "svg", "video"),
    )
)
