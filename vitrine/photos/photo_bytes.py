"""A photograph's bytes in memory, read at a position as masters are."""


class PhotoBytes:
    """The port `MasterBytes` over the body of a request."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)
        self._view = memoryview(data)

    def read_at(self, position: int, size: int) -> bytes:
        """Read up to `size` bytes, b"" from the end on."""
        return bytes(self._view[position : position + size])
