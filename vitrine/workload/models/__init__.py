"""Ways of asking, one a file. `MODELS` is what a scenario may name."""

from typing import Protocol

from vitrine.workload.catalogue import Catalogue
from vitrine.workload.models.cache_percent import CachePercent
from vitrine.workload.models.index_page import IndexPage
from vitrine.workload.models.report_matrix import ReportMatrix
from vitrine.workload.models.url_list import UrlList
from vitrine.workload.models.viewer_session import ViewerSession
from vitrine.workload.request import Model


class Options(Protocol):
    """What a scenario says of its model; the fields are the keys of its table."""

    @property
    def ends(self) -> bool:
        """Whether there is a last request."""
        ...

    @property
    def needs_images(self) -> bool:
        """Whether it asks for the images of a catalogue."""
        ...

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """The model for these images. Raises InvalidScenario for images it cannot use."""
        ...


MODELS: dict[str, type[Options]] = {
    "report-matrix": ReportMatrix,
    "url-list": UrlList,
    "cache-percent": CachePercent,
    "viewer-session": ViewerSession,
    "index-page": IndexPage,
}
"""By the name a scenario gives; `mix` is made of these (`vitrine.workload.mix`)."""
