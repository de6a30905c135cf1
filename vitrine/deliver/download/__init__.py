"""Downloads of whole images at full resolution: how they are cut in strips and joined by bytes."""
