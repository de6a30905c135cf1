"""What a delivered image says about itself: its colours, and the selected EXIF and XMP.

`selection` reads it from the access master, `derivatives` puts it into an encoded image, `tiles`
into the tiles that are passed through. Pixels are never touched.
"""
