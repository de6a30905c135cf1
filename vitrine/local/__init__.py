"""The whole service on one machine: `vitrine up`, the emulator, the edge and the image task."""
