"""The headers of a request as nginx sent them."""

RAW_PATH = b"x-request-uri"
"""Header with the address as the client wrote it: the one in nginx's request line is decoded."""


class Fields:
    """The headers of a request by their names in lower case, decoded when they are read."""

    __slots__ = ("_values",)

    def __init__(self, values: dict[bytes, bytes] | None = None) -> None:
        self._values = {} if values is None else values

    def add(self, name: bytes, value: bytes) -> None:
        """Add a header; the last of several values counts."""
        self._values[name.lower()] = value

    def raw(self, name: bytes) -> bytes | None:
        """Return the value of a name in lower case, or None."""
        return self._values.get(name)

    def get(self, name: str, /) -> str | None:
        """See HeaderFields."""
        value = self._values.get(name.encode())
        return None if value is None else value.decode("latin-1")
