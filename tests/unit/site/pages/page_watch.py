"""What is written into the site's bucket, and what is there."""

from typing import Any

from tests.unit.catalogue.object_bench import ObjectBench


class Watch:
    """The keys of the site that are written while it is entered."""

    def __init__(self, bench: ObjectBench) -> None:
        self._site: Any = bench.site
        self.keys: list[str] = []

    def __enter__(self) -> list[str]:
        self._put = self._site.put

        def put(key: str, *args: Any, **how: Any) -> Any:
            self.keys.append(key)
            return self._put(key, *args, **how)

        self._site.put = put
        return self.keys

    def __exit__(self, *error: object) -> None:
        del self._site.put


def text(bench: ObjectBench, key: str) -> str:
    return str(bench.site.get(key)[0].decode())
