"""The search by titles in both forms of index: files for browsers, a segment for a Lambda."""
