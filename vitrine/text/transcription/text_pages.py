"""The pages of a file, as they are found: each has a builder of its own."""

from collections.abc import Iterator, Sequence

from vitrine.errors import TextRefused
from vitrine.text.transcription.page_builder import PageBuilder
from vitrine.text.transcription.page_text import CanvasSize, PageText


class TextPages:
    """Gives a reader the builder of the page that it is at, and keeps the pages that are whole."""

    def __init__(self, canvases: Sequence[CanvasSize]) -> None:
        self._canvases = canvases
        self._begun = 0
        self._finished: list[PageText | TextRefused] = []
        self.builder = PageBuilder(canvases[0])

    def begin_page(self) -> None:
        """Let what follows be of the next page. Raises TextRefused if no canvas is left."""
        if self._begun == len(self._canvases):
            if self._begun == 1:
                raise TextRefused("pages", "it has more than one page, and is for one image")
            raise TextRefused("pages", f"it has more pages than there are images: {self._begun:,}")
        if self._begun:
            self._finish_page()
            self.builder = PageBuilder(self._canvases[self._begun])
        self._begun += 1

    def finish(self) -> Iterator[PageText | TextRefused]:
        """Yield the pages that were not taken yet, the last one too."""
        self._finish_page()
        yield from self.take()

    def take(self) -> Iterator[PageText | TextRefused]:
        """Yield the pages that became whole since the last call."""
        finished, self._finished = self._finished, []
        yield from finished

    def _finish_page(self) -> None:
        try:
            self._finished.append(self.builder.finish())
        except TextRefused as refused:
            self._finished.append(refused)
