"""Objects and collections: their records, their journal, and what is published of them."""
