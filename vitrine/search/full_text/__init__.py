"""Search in the pages of all objects: segments of one index in the site's bucket, read by range."""
