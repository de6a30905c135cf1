"""What is published about objects: their records, which know neither addresses nor versions."""
