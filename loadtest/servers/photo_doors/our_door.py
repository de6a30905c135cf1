"""Our photo door, with photographs sent as other doors get them, and as a page sends them."""

import http.client

from loadtest.servers.photo_doors.engine import SIDE, Engine, Send, send_request
from rigs.photo_door import SignedForm, photo_door_rig

AGENTS_AT_MOST = 256
_BOUNDARY = "photo-of-an-agent"


def our_engine(name: str, thumbnails: str, *, form: bool = False) -> Engine:
    """Return our door, asked for these thumbnails.

    A photograph is the body, as other doors get it, or a field of a form, as a page sends it.
    """
    signed = SignedForm()
    send = _sent_in_form if form else _sent_as_body
    return Engine(
        name=name,
        start=lambda: photo_door_rig(signed.keys, VITRINE_PHOTO_QUEUE=str(AGENTS_AT_MOST)),
        send=send(signed.token, thumbnails),
        sides=(150, SIDE),
    )


def _sent_as_body(token: str, thumbnails: str) -> Send:
    address = f"/photos?store=no&thumbnails={thumbnails}"
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "image/jpeg"}
    return lambda connection, photo: send_request(connection, "POST", address, photo, headers)


def _sent_in_form(token: str, thumbnails: str) -> Send:
    fields = {"token": token, "thumbnails": thumbnails, "store": "no"}
    head = "".join(
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields.items()
    )
    head += f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n'
    head += "Content-Type: image/jpeg\r\n\r\n"
    headers = {"Content-Type": f"multipart/form-data; boundary={_BOUNDARY}"}

    def send(connection: http.client.HTTPSConnection, photo: bytes) -> tuple[int, bytes]:
        body = b"".join((head.encode(), photo, f"\r\n--{_BOUNDARY}--\r\n".encode()))
        return send_request(connection, "POST", "/photos", body, headers)

    return send
