"""Ways of asking, one a file. `MODELS` is what a scenario may name."""

from typing import Protocol

from loadtest.workload.catalogue import Catalogue
from loadtest.workload.models.cache_percent import CachePercent
from loadtest.workload.models.index_page import IndexPage
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.models.url_list import UrlList
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.request import Model


class Options(Protocol):
    """What a scenario says of its model; the fields are the keys of its table."""

    @property
    def ends(self) -> bool:
        """True if there is a last request."""
        ...

    @property
    def needs_images(self) -> bool:
        """True if it requests the images of a catalogue."""
        ...

    def bind(self, catalogue: Catalogue | None, seed: int) -> Model:
        """Return the model for these images. Raises InvalidScenario for images it cannot use."""
        ...


MODELS: dict[str, type[Options]] = {
    "report-matrix": ReportMatrix,
    "url-list": UrlList,
    "cache-percent": CachePercent,
    "viewer-session": ViewerSession,
    "index-page": IndexPage,
}
"""By the name a scenario gives; `mix` is made of these (`loadtest.workload.mix`)."""
