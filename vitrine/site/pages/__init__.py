"""The site's pages: what people open, written as files when an object is published."""
