"""What OCR has read of objects, and what it has yet to read (docs/adr/0039)."""
