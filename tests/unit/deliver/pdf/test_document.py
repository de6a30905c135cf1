"""What a PDF says of itself, in XML."""

from xml.etree import ElementTree

from vitrine.deliver.pdf.document import DocumentDescription, PdfDocument


def test_metadata_keep_each_character_that_xml_has() -> None:
    title = "\u00ab\u00a0Titre\u202f\u00bb & \u0645\u06cc\u200c\u062e \U0001f468\u200d\U0001f4bb"
    written = PdfDocument(DocumentDescription(title=f"{title}\x07\ud800")).end()
    packet = written.partition(b"<?xpacket end")[0].partition(b"?>")[2]
    (found,) = ElementTree.fromstring(packet).iter("{http://purl.org/dc/elements/1.1/}title")
    assert "".join(found.itertext()) == title
