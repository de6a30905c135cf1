"""Text of a page: what OCR and transcriptions say stands where on a canvas (docs/adr/0035)."""
