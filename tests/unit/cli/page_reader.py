"""A page as a browser sees it."""

from html.parser import HTMLParser


class Reader(HTMLParser):
    """What a browser sees of a page: tags with their attributes, and text by the tag around it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "br"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._inside.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._inside[-1] if self._inside else "", data))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def text(self) -> str:
        return "".join(text for tag, text in self.texts if tag not in ("style", "script", "title"))

    @property
    def commands(self) -> list[str]:
        """About failures."""
        lines = [line for tag, text in self.texts if tag == "pre" for line in text.split("\n")]
        return [line for line in lines if not line.startswith("vitrine ingest")]
