"""Sources of records and texts: tables, XML, harvests, IIIF manifests, OCR; and their updates."""
