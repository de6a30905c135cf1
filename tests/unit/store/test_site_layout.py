"""Keys of pages are addresses, and none takes another's."""

from vitrine.store.site_layout import (
    collection_page_key,
    facet_page_key,
    object_page_key,
    page_path,
    value_page_key,
)


def test_a_slash_of_an_identifier_opens_no_folder() -> None:
    assert object_page_key("a/b") == "objects/a%2Fb"
    assert object_page_key("a%2Fb") == "objects/a%252Fb"
    assert page_path(object_page_key("a b/ü")) == "/objects/a%20b%2F%C3%BC"


def test_a_value_named_as_a_language_or_a_number_has_an_address_of_its_own() -> None:
    keys = [
        facet_page_key("maker", language="de"),
        value_page_key("maker", "de"),
        facet_page_key("maker", 2),
        value_page_key("maker", "2"),
        value_page_key("maker", "de", 2),
        value_page_key("maker", "de", 2, "de"),
        collection_page_key("maker", 2),
        collection_page_key("maker", language="de"),
    ]
    assert len(set(keys)) == len(keys)
