"""Which line of an object's metadata has its maker, its date or its number, by its label."""

from collections.abc import Iterable
from enum import StrEnum

from vitrine.text.plain_texts import ManyTexts, plain_texts


class Fact(StrEnum):
    """What citations and files name of an object."""

    MAKER = "maker"
    DATE = "date"
    NUMBER = "number"
    """Number in the inventory, or shelfmark."""


_LABELS = {
    Fact.MAKER: (
        "maker, makers, artist, artists, creator, creators, author, authors, photographer, "
        "painter, engraver, printmaker, composer, architect, designer, künstler, künstlerin, "
        "künstler/in, künstler*in, urheber, urheberin, hersteller, herstellerin, autor, autorin, "
        "verfasser, verfasserin, fotograf, fotografin, maler, malerin, artiste, artistes, auteur, "
        "auteurs, autrice, créateur, créatrice, photographe, peintre"
    ),
    Fact.DATE: (
        "date, dated, dates, year, created, date made, date created, date of creation, creation "
        "date, production date, date of production, published, date of publication, publication "
        "date, datum, datierung, jahr, entstanden, entstehungsdatum, entstehungszeit, "
        "entstehungsjahr, erschienen, erscheinungsjahr, datation, année, date de création, date de "
        "publication"
    ),
    Fact.NUMBER: (
        "inventory number, inventory no, inv. no, accession number, accession no, object number, "
        "object no, catalogue number, shelfmark, call number, inventarnummer, inventar-nr, "
        "inv.-nr, objektnummer, zugangsnummer, signatur, numéro d'inventaire, n° d'inventaire, cote"
    ),
}
_FACTS = {label: fact for fact, labels in _LABELS.items() for label in labels.split(", ")}


def find_facts(labels: Iterable[ManyTexts]) -> dict[Fact, int]:
    """Return the places of the first lines of metadata with these facts, from 0.

    `labels` are those of all lines, by language.
    """
    places: dict[Fact, int] = {}
    for place, label in enumerate(labels):
        for _, text in plain_texts(label):
            if fact := _FACTS.get(text.casefold().replace("\u2019", "'").rstrip(".: ")):
                places.setdefault(fact, place)
    return places
