"""Colour arithmetic without libvips: transfer functions, matrices, profiles byte by byte."""

import io
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageCms

Floats = NDArray[np.floating[Any]]

ADOBE_GAMMA = 563 / 256
GRAY_GAMMA = 1.8
D50 = np.array([0.9642, 1.0, 0.8249])
# Colorants relative to D50, one column per primary. Source: the profiles' own tags.
ADOBE_TO_XYZ = np.array(
    [[0.60974, 0.20528, 0.14919], [0.31111, 0.62567, 0.06322], [0.01947, 0.06087, 0.74457]]
)
SRGB_TO_XYZ = np.array(
    [[0.43607, 0.38515, 0.14307], [0.22249, 0.71687, 0.06061], [0.01392, 0.09708, 0.71410]]
)


def picture(width: int = 240, height: int = 160) -> Floats:
    """Return a smooth picture, sRGB 0 to 1, muted enough for any gamut; no two corners alike."""
    y, x = np.mgrid[0:height, 0:width]
    red = 0.35 + 0.3 * x / width
    green = 0.35 + 0.3 * y / height
    blue = 0.5 + 0.1 * np.sin(x / 40) * np.cos(y / 30)
    return np.stack([red, green, blue], axis=-1)


def eight(values: Floats) -> NDArray[np.uint8]:
    """0 to 1 -> 0 to 255."""
    return np.round(values * 255).astype("u1")


def sixteen(values: Floats) -> NDArray[np.uint16]:
    """0 to 1 -> 0 to 65535."""
    return np.round(values * 65535).astype("u2")


def encode_srgb(linear: Any) -> Any:
    """Linear light -> sRGB, both 0 to 1. Source: IEC 61966-2-1."""
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def decode_srgb(values: Any) -> Any:
    """sRGB -> linear light, both 0 to 1. Source: IEC 61966-2-1."""
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def adobe_to_srgb(pixels: Any) -> Any:
    """AdobeRGB 0 to 1 -> sRGB 0 to 1."""
    linear = (pixels**ADOBE_GAMMA) @ (np.linalg.inv(SRGB_TO_XYZ) @ ADOBE_TO_XYZ).T
    return encode_srgb(np.clip(linear, 0, 1))


def srgb_to_lab(values: Any) -> Any:
    """sRGB 0 to 1 -> CIELAB relative to D50. Source: CIE 15:2004, 8.2.1."""
    relative = decode_srgb(values) @ SRGB_TO_XYZ.T / D50
    cubes = np.where(
        relative > (6 / 29) ** 3, np.cbrt(relative), relative * (29 / 6) ** 2 / 3 + 4 / 29
    )
    x, y, z = cubes[..., 0], cubes[..., 1], cubes[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def cmyk_to_srgb(pixels: Any, profile: bytes) -> Any:
    """CMYK 0 to 255 -> sRGB 0 to 1, by Pillow's LittleCMS."""
    converted = ImageCms.profileToProfile(
        Image.fromarray(pixels, "CMYK"),
        ImageCms.ImageCmsProfile(io.BytesIO(profile)),
        ImageCms.createProfile("sRGB"),
        renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
        outputMode="RGB",
        flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )
    return np.asarray(converted) / 255


def icc_profile(space: bytes, colorants: dict[bytes, Any], curves: dict[bytes, float]) -> bytes:
    """Return a version 2 display profile. Source: ICC.1:2001-04, 6 and 9."""

    def xyz(values: Any) -> bytes:
        return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(v * 65536) for v in values))

    def curve(gamma: float) -> bytes:
        return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"

    text = b"made\0"
    description = b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78)
    tags = {
        b"desc": description + bytes(-len(description) % 4),
        b"cprt": b"text\0\0\0\0none\0\0\0\0",
        b"wtpt": xyz(D50),
    }
    tags |= {name: xyz(value) for name, value in colorants.items()}
    tags |= {name: curve(gamma) for name, gamma in curves.items()}
    table, data = struct.pack(">I", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for name, value in tags.items():
        table += name + struct.pack(">II", start + len(data), len(value))
        data += value
    header = struct.pack(
        ">I4sI4s4s4s", start + len(data), b"none", 0x02100000, b"mntr", space, b"XYZ "
    )
    header += bytes(12) + b"acsp" + bytes(28) + xyz(D50)[8:]
    return header + bytes(128 - len(header)) + table + data


def _matrix_profile(matrix: Any, gamma: float) -> bytes:
    columns = {f"{name}XYZ".encode(): matrix[:, i] for i, name in enumerate("rgb")}
    return icc_profile(b"RGB ", columns, {f"{name}TRC".encode(): gamma for name in "rgb"})


ADOBE_PROFILE = _matrix_profile(ADOBE_TO_XYZ, ADOBE_GAMMA)
"""AdobeRGB (1998) as a matrix profile."""
LINEAR_PROFILE = _matrix_profile(SRGB_TO_XYZ, 1.0)
"""sRGB's primaries in linear light, as Photoshop and GIMP embed it in float files."""
GRAY_PROFILE = icc_profile(b"GRAY", {}, {b"kTRC": GRAY_GAMMA})
"""Gray with gamma 1.8."""
