"""Texts: transcriptions of pages, annotations, what OCR read, and HTML that is allowed."""
