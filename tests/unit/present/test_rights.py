"""Rights as museums write them."""

import pytest

from vitrine.present.rights import rights_uri

BY = "http://creativecommons.org/licenses/by/4.0/"


@pytest.mark.parametrize(
    ("text", "uri"),
    [
        ("CC0", "http://creativecommons.org/publicdomain/zero/1.0/"),
        ("Public Domain", "http://creativecommons.org/publicdomain/mark/1.0/"),
        ("CC BY 4.0", BY),
        ("cc-by-4.0", BY),
        ("CC BY", BY),
        ("CC BY-NC-SA 3.0", "http://creativecommons.org/licenses/by-nc-sa/3.0/"),
        ("https://creativecommons.org/licenses/by/4.0", BY),
        ("http://www.creativecommons.org/licenses/by/4.0/", BY),
        ("https://creativecommons.org/licenses/by/4.0/deed.de", BY),
        ("InC", "http://rightsstatements.org/vocab/InC/1.0/"),
        ("In Copyright", "http://rightsstatements.org/vocab/InC/1.0/"),
        (
            "https://rightsstatements.org/page/NoC-US/1.0/?language=en",
            "http://rightsstatements.org/vocab/NoC-US/1.0/",
        ),
        ("All rights reserved", ""),
        ("CC BY-XX", ""),
        ("https://museum.example/rights", ""),
        ("", ""),
    ],
)
def test_a_name_or_an_address_leads_to_the_uri(text: str, uri: str) -> None:
    assert rights_uri(text) == uri
