"""OCR: pages whose text nobody has typed are read by Tesseract (docs/adr/0039)."""
