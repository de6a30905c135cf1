"""What can be wrong with a photograph at the photo door: a part of the one table of problems."""

PHOTO_KINDS: dict[str, tuple[int, str, str]] = {
    "form-missing": (
        401,
        "The photograph came without a signed form",
        "Send the token of `POST /photo-forms` as `Authorization: Bearer TOKEN`, or as the field "
        "`token` of a form, before the photograph.",
    ),
    "form-invalid": (
        401,
        "The signed form is not valid, or no longer",
        "Get a new one, and send it unchanged.",
    ),
    "form-forbids": (
        403,
        "The signed form does not allow this",
        "Get a form that does, or leave it out.",
    ),
    "photo-body-invalid": (
        400,
        "The body is not one photograph and its fields",
        "Send the bytes of one photograph, or multipart/form-data with the fields `token`, "
        "`thumbnails`, `clean` and `store`, once each, and then one file.",
    ),
    "photo-length-missing": (
        411,
        "The length of the photograph is not known",
        "Send a `Content-Length`, and not in chunks; curl does of a file, and the forms of pages "
        "do.",
    ),
    "photo-too-slow": (
        408,
        "The photograph arrives too slowly",
        "Send it over a faster connection, or save it smaller.",
    ),
    "photo-not-an-image": (
        415,
        "This is no photograph",
        "Send a JPEG, PNG, WebP or AVIF; everything else an institution uploads as a master, with "
        "`vitrine ingest`.",
    ),
    "photo-mislabelled": (
        415,
        "The photograph is of another format than its Content-Type says",
        "Send the Content-Type that its bytes have, or application/octet-stream.",
    ),
    "photo-too-large": (
        413,
        "The photograph is too large for this door",
        "Upload it to the address that `POST /photo-forms` returns when asked for an `upload`.",
    ),
    "photo-answer-too-large": (
        406,
        "The thumbnails are too large for one answer",
        "Send `Accept: application/json`, and fetch them from their addresses; or name fewer.",
    ),
    "photo-damaged": (
        422,
        "The photograph is damaged, or cannot be decoded",
        "Copy it once more from the camera, or save it again, and send that.",
    ),
    "photo-ambiguous": (
        422,
        "The file is a photograph and something else at once",
        "Save the photograph again with a program for pictures, and send that.",
    ),
    "photo-too-expensive": (
        422,
        "The photograph would take too much to decode while somebody waits",
        "Upload it as a master, with `POST /ingests` or `vitrine ingest`.",
    ),
    "photo-metadata-too-large": (
        422,
        "The photograph has more than 1 MiB of metadata",
        "Save it without previews and depth maps, and send that.",
    ),
    "photos-exhausted": (
        429,
        "The form's photographs of this hour are used up",
        "Send the next one when `Retry-After` is over.",
    ),
    "photos-no-space": (
        503,
        "The photo door has no room for the photograph at the moment",
        "Send it again when `Retry-After` is over.",
    ),
    "photos-busy": (
        503,
        "More photographs come than can be decoded",
        "Send it again when `Retry-After` is over.",
    ),
}
"""Status, title and advice by their codes, which never change."""
