"""Access to images: rules say who may see an image, tickets prove that somebody may.

`vitrine.authorization` gives tickets to people; docs/howto/restrict-images.md says how all of it
is used.
"""
