"""Colour arithmetic that is not libvips': profiles made by hand, expected colours, ΔE00."""

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyvips
from PIL import Image, ImageCms
from skimage.color import deltaE_ciede2000, rgb2lab

ADOBE_GAMMA = 563 / 256
# Colorants relative to D50, one column per primary. Source: the profiles' own tags.
ADOBE_TO_XYZ = np.array(
    [[0.60974, 0.20528, 0.14919], [0.31111, 0.62567, 0.06322], [0.01947, 0.06087, 0.74457]]
)
SRGB_TO_XYZ = np.array(
    [[0.43607, 0.38515, 0.14307], [0.22249, 0.71687, 0.06061], [0.01392, 0.09708, 0.71410]]
)


def icc_profile(space: bytes, colorants: dict[bytes, Any], curves: dict[bytes, float]) -> bytes:
    """A version 2 display profile. Source: ICC.1:2001-04, 6 and 9."""

    def xyz(values: Any) -> bytes:
        return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(v * 65536) for v in values))

    def curve(gamma: float) -> bytes:
        return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"

    white = (0.9642, 1.0, 0.8249)
    text = b"made\0"
    description = b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78)
    tags = {
        b"desc": description + bytes(-len(description) % 4),
        b"cprt": b"text\0\0\0\0none\0\0\0\0",
        b"wtpt": xyz(white),
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
    header += (
        bytes(12) + b"acsp" + bytes(28) + struct.pack(">3i", *(round(v * 65536) for v in white))
    )
    return header + bytes(128 - len(header)) + table + data


def adobe_to_srgb(pixels: Any) -> Any:
    """Colour-managed by arithmetic: AdobeRGB 0 to 1 -> sRGB 0 to 1."""
    linear = (pixels**ADOBE_GAMMA) @ (np.linalg.inv(SRGB_TO_XYZ) @ ADOBE_TO_XYZ).T
    return encode_srgb(np.clip(linear, 0, 1))


def encode_srgb(linear: Any) -> Any:
    """Linear light -> sRGB, both 0 to 1. Source: IEC 61966-2-1."""
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def mean_difference(served: Path, expected: Any) -> float:
    """Mean ΔE00 of an access master's full resolution against sRGB 0 to 1."""
    pixels = pyvips.Image.tiffload(str(served)).numpy() / 255
    assert pixels.shape == expected.shape
    return float(deltaE_ciede2000(rgb2lab(pixels), rgb2lab(expected)).mean())


def cmyk_to_srgb(pixels: Any, profile: bytes) -> Any:
    """Colour-managed by Pillow's LittleCMS: CMYK 0 to 255 -> sRGB 0 to 1."""
    converted = ImageCms.profileToProfile(
        Image.fromarray(pixels, "CMYK"),
        ImageCms.ImageCmsProfile(io.BytesIO(profile)),
        ImageCms.createProfile("sRGB"),
        renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
        outputMode="RGB",
        flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )
    return np.asarray(converted) / 255
