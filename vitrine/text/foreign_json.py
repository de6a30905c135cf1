"""JSON that others wrote."""

import json
import re
from typing import Any

_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def decode_json(body: bytes | bytearray | str) -> Any:
    r"""Return a JSON document.

    Half of a surrogate pair, such as `"\ud83d"` of a text that was cut within an emoji, is no
    character (RFC 8259, 8.2), and can be neither encoded nor stored: it becomes U+FFFD, as in
    browsers. Raises ValueError.
    """
    text = body if isinstance(body, str) else body.decode(json.detect_encoding(body))
    try:
        document = json.loads(text)
        if _ESCAPED_SURROGATE.search(text):
            escaped = json.dumps(document, ensure_ascii=False).encode("utf-16-le", "surrogatepass")
            document = json.loads(escaped.decode("utf-16-le", "replace"))
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    return document
