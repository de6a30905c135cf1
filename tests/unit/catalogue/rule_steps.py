"""Steps of curators that concern rules of access, with what each may be given."""

from hypothesis import strategies as st

from tests.unit.catalogue.rules_museum import COLLECTIONS, IMAGES

OBJECTS = ("letter", "book", "map", "one")
RULES = ("closed", "open", "small:1000", "")

images, objects = st.sampled_from(IMAGES), st.sampled_from(OBJECTS)
collections, rules = st.sampled_from(COLLECTIONS), st.sampled_from(RULES)
members = st.lists(st.one_of(objects, objects, collections), max_size=3, unique=True)
shown = st.lists(images, min_size=1, max_size=2, unique=True)
thumbnails = st.sampled_from(("", *IMAGES))
pictures = st.lists(thumbnails, max_size=4)
"""The thumbnail of a collection, and the images that it shows of its first members."""
rows = st.sampled_from(("", "open", "closed"))
STEPS: dict[str, tuple[st.SearchStrategy[object], ...]] = {
    "put_object": (objects, shown, thumbnails),
    "put_collection": (collections, members, rules, pictures),
    "set_rule": (collections, rules),
    "withdraw": (st.one_of(objects, collections),),
    "withdraw_closed": (collections,),
    "rename": (st.one_of(objects, collections), st.one_of(objects, collections)),
    "say": (images, st.sampled_from(("closed", "open", "staff"))),
    "give_back": (images,),
    "publish_table": (collections, objects, shown, rows, rules),
    "begin_table": (collections, objects, shown, rows, rules),
    "finish_table": (),
    "deliver_some": (st.integers(0, 99),),
    "crash": (collections, members, rules, st.integers(0, 3), st.booleans()),
    "roll_back": (collections, st.integers(0, 9)),
    "upload": (images,),
    "rename_image": (images, images),
    "add_redirect": (images, images),
    "remove_redirect": (images,),
    "replace_redirect": (images,),
    "interrupt_redirect": (images, images, st.integers(0, 3), st.booleans()),
    "export": (),
    "move": (),
    "import_": (st.booleans(),),
}
