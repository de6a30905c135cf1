"""Rights as museums write them."""

import pytest

from vitrine.iiif.presentation.rights import rights_name, rights_uri

CC = "http://creativecommons.org/licenses"

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
        ("https://creativecommons.org/lic enses/by/\n4.0/", BY),
        ("https://creativecommons.org/licenses/by/4.0/?ref=chooser-v1", BY),
        ("HTTPS://CreativeCommons.org/licenses/BY/4.0", BY),
        ("https://creativecommons.org/licenses/by/4.0/legalcode.de#s2", BY),
        (
            "https://creativecommons.org/licenses/by-nc/3.0/de/deed.en",
            "http://creativecommons.org/licenses/by-nc/3.0/de/",
        ),
        (
            "http://creativecommons.org/licenses/by-nd-nc/1.0/",
            "http://creativecommons.org/licenses/by-nd-nc/1.0/",
        ),
        (
            "https://creativecommons.org/publicdomain/zero/1.0/deed.nl",
            "http://creativecommons.org/publicdomain/zero/1.0/",
        ),
        ("http://rightsstatements.org/vocab/inc/1.0", "http://rightsstatements.org/vocab/InC/1.0/"),
        ("https://creativecommons.org/about/", ""),
        ("https://creativecommons.org/licenses/", ""),
        ("https://creativecommons.org/licenses/by/4.0/rdf", ""),
        ("https://creativecommons.org/licenses/by/5.0/", ""),
        ("https://creativecommons.org/licenses/by/2.1/", ""),
        ("https://creativecommons.org/licenses/by/3.0/xx/", ""),
        ("https://creativecommons.org/licenses/by-nc/4.0/de/", ""),
        ("https://creativecommons.org/licenses/nc/4.0/", ""),
        ("https://creativecommons.org/licenses/nc/2.0/", ""),
        ("https://creativecommons.org/licenses/by/2.1/ca/", f"{CC}/by/2.1/ca/"),
        ("https://creativecommons.org/licenses/by/3.0/ge/", f"{CC}/by/3.0/ge/"),
        ("https://creativecommons.org/licenses/nd-nc/2.0/jp/", f"{CC}/nd-nc/2.0/jp/"),
        ("https://creativecommons.org/licenses/by-nc/2.0/jp/", f"{CC}/by-nc/2.0/jp/"),
        ("https://creativecommons.org/publicdomain/zero/2.0/", ""),
        ("https://rightsstatements.org/vocab/InC-EU/9.9/", ""),
        ("https://rightsstatements.org/en/", ""),
        ("https://rightsstatements.org.example/vocab/InC/1.0/", ""),
        ("https://[creativecommons.org/licenses/by/4.0/", ""),
        ("CC BY 7.0", ""),
    ],
)
def test_a_name_or_an_address_leads_to_the_uri(text: str, uri: str) -> None:
    assert rights_uri(text) == uri


@pytest.mark.parametrize("port", ["", "igo/", "scotland/", "de/"])
def test_a_uri_leads_to_itself(port: str) -> None:
    version = "2.5" if port == "scotland/" else "3.0"
    uri = f"http://creativecommons.org/licenses/by-nc-sa/{version}/{port}"
    assert rights_uri(uri) == uri
    assert rights_name(uri).startswith(f"CC BY-NC-SA {version}")
