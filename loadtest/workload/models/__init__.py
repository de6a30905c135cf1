"""Models of requests, one per file; `MODELS` are those that a scenario may name."""

from typing import Protocol

from loadtest.workload.catalogue import Catalogue
from loadtest.workload.models.cache_percent import CachePercent
from loadtest.workload.models.index_page import IndexPage
from loadtest.workload.models.report_matrix import ReportMatrix
from loadtest.workload.models.site_visit import SiteVisit
from loadtest.workload.models.url_list import UrlList
from loadtest.workload.models.viewer_session import ViewerSession
from loadtest.workload.request import Model


class Options(Protocol):
    """A scenario's options of its model; the fields are the keys of its table."""

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
    "site-visit": SiteVisit,
}
"""The models by their names in scenarios; `mix` is made of these (`loadtest.workload.mix`)."""
