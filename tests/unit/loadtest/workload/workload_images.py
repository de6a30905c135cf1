"""Images for workloads: one of each of the report's classes, and some more."""

from loadtest.workload.catalogue import Catalogue, Image

SMALL = Image("small", 3000, 2000)
MEDIUM = Image("medium", 7300, 4100)
LARGE = Image("large", 12_000, 9_000)
ALL_CLASSES = Catalogue.of([SMALL, MEDIUM, LARGE])
MANY = Catalogue.of([Image(f"work {n}", 2000 + 37 * n, 1500 + 53 * n) for n in range(150)])
