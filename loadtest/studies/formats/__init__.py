"""The IIIF/htj2k comparison of 2022: pyramidal TIFF, JPEG 2000 and High-Throughput JPEG 2000."""
