"""Which column of a table is what, by the names of columns and by what stands in them."""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from vitrine.identify.identifier import is_identifier
from vitrine.iiif.presentation.rights import rights_uri
from vitrine.proposal.columns import ADDRESS, NUMBER, Column, plain
from vitrine.sources.mapping.masters_folder import IMAGES
from vitrine.sources.mapping.moments import first_moment
from vitrine.sources.mapping.places import is_degrees

Roles = dict[str, Column]
"""Columns by rule; no column has two."""

NAMES: dict[str, list[str]] = {
    rule: names.split()
    for rule, names in {
        "identifier": """
            objectid objectnumber accessionnumber accessionno inventorynumber inventorynr
            inventarnummer inventarnr objektnummer inventarisnummer objectnummer numeroinventaire
            inventaire inventario numeroinventario invno inventory acno pid recordid
            identifier callnumber shelfmark signatur cote numero number uuid id
            """,
        "image": """
            filename imagefilename imagefile filenames images image masterfile file dateiname datei
            bestandsnaam bestand fichier nomfichier bild objectlocation scan mediafile media imagen
            immagine archivo
            """,
        "label": """
            title objecttitle maintitle titel titre titolo titulo label displayname bezeichnung
            objektbezeichnung caption objectname name naam nom nombre
            """,
        "summary": """
            description abstract summary beschreibung omschrijving descripcion descrizione descricao
            longdescription contentdescription notes
            """,
        "alt_text": "imagealttext alttext alt alternativetext alternativtext textealternatif",
        "rights": """
            rightsstatement rightsuri standardizedrights licenceuri licenseurl licence license
            lizenz rights rechte rechten droits derechos diritti copyright
            """,
        "nav_date": """
            navdate datestart creationdateearliest dateearliest earliestdate objectbegindate
            begindate beginyear yearstart startyear creationdate creationyear year jahr jaar annee
            ano anno date datum datierung datering fecha data dating period datecreated
            """,
        "latitude": "latitude lat geolat breitengrad breedtegraad latitud latitudine",
        "longitude": "longitude lon lng long geolon geolong laengengrad lengtegraad longitud",
        "place": """
            placename place location locationname geographiclocation spatial coverage findspot city
            ort ortsname fundort plaats plaatsnaam vindplaats lieu lugar luogo
            """,
        "homepage": "homepage objecturl referenceurl recordurl permalink url weburl link uri",
        "credit": "creditline credit attribution requiredstatement courtesy",
        "page": "parentid parent partof fieldmemberof memberof objectofpage",
    }.items()
}
"""Names of columns for each rule, likelier ones first: letters and digits alone."""
COORDINATES = ("latitude", "longitude")
"""Rules of which none says anything without the other."""
_OTHER_DATES = re.compile(
    r"acqui|access|purchas|erwerb|aankoop|modif|update|digit|upload|ingest|entered|scan|publish"
)
"""Dates that say nothing of when an object was made."""
_WORD = re.compile(r"\S+$")


def choose_roles(columns: Sequence[Column], rows: int) -> Roles:
    """Return the columns of all rules but images, as far as there are any."""
    chosen: Roles = {}
    for rule in NAMES:
        if rule == "image" or (rule == "place" and not {*COORDINATES} <= chosen.keys()):
            continue  # what names a place may be a room where there are no coordinates
        free = [one for one in columns if one not in chosen.values() and FITS[rule](one, rows)]
        if found := _by_name(NAMES[rule], free) or _by_cells(rule, free):
            chosen[rule] = found
    if not {*COORDINATES} <= chosen.keys():
        chosen = {rule: one for rule, one in chosen.items() if rule not in COORDINATES}
    if page := chosen.get("page"):
        # Pages name their object by its identifier, whatever the column of that is called.
        named = [one for one in columns if one is not page and {*page.texts} <= {*one.texts}]
        if named:
            chosen["identifier"] = named[0]
        else:
            del chosen["page"]
    return chosen


def choose_named_image(columns: Sequence[Column]) -> Column | None:
    """Return the column that names images, as it seems without their files."""
    able = [one for one in columns if names_images(one)]
    depth = min((one.depth for one in able), default=0)
    able = [one for one in able if one.depth == depth]
    return _by_name(NAMES["image"], able) or next(iter(able), None)


def _by_name(names: Sequence[str], columns: Sequence[Column]) -> Column | None:
    """Return the column that is called like the first of these names that any is.

    If none is, the first that ends or begins so: `CollectionName`, `field_description`. Of columns
    of one name the one that is less deep in records.
    """
    shallow = sorted(columns, key=lambda one: one.depth)
    for name in names:
        for column in shallow:
            if name in (plain(column.name), "".join(column.words)):
                return column
    for name in names:
        for column in shallow:
            words = column.words
            if name in (words[-1], words[0]) or (len(name) > 3 and words[-1].endswith(name)):
                return column
    return None


def _by_cells(rule: str, columns: Sequence[Column]) -> Column | None:
    """Return the first column whose cells can hardly be anything else, whatever its name."""
    match rule:
        case "identifier":
            able = (one for one in columns if max(map(len, one.texts)) <= 64)
            alike = sorted(able, key=lambda one: (one.share(_WORD) < 0.95, -len(one.texts)))
            return next((one for one in alike if not one.share(ADDRESS)), None)
        case "label":
            able = (one for one in columns if one.share(re.compile(r"\D*\w+\s+\w\w")) >= 0.5)
            return next((one for one in able if not one.share(ADDRESS)), None)
        case "rights":
            shared = (sum(map(bool, map(rights_uri, one.texts))) for one in columns)
            each = zip(columns, shared, strict=True)
            return next((one for one, fit in each if fit >= 0.8 * len(one.texts)), None)
        case _:
            return None


def names_images(column: Column) -> bool:
    """Return whether most of its cells begin with the name of an image file."""
    first = (re.split(r"[;|]", text)[0].strip() for text in column.texts)
    named = sum(PurePosixPath(name).suffix.lower() in IMAGES for name in first)
    return named >= 0.5 * len(column.texts) > 0


def _identifies(column: Column, rows: int) -> bool:
    is_unique = column.distinct >= 0.95 * len(column.texts) >= 0.7 * rows
    # Words that are reserved can be identifiers with something before them.
    return is_unique and not column.depth and all(is_identifier(f"a-{one}") for one in column.texts)


def _states_rights(column: Column, _: int) -> bool:
    is_named = not column.depth and "".join(column.words) in NAMES["rights"]
    return is_named or any(map(rights_uri, column.texts))


def _dates(column: Column, _: int) -> bool:
    if _OTHER_DATES.search(plain(column.name)) or column.depth > 1 or "[" in column.name:
        return False
    return sum(bool(first_moment(text)) for text in column.texts) >= 0.5 * len(column.texts)


def _is_page_address(column: Column, _: int) -> bool:
    is_address = all(text.startswith(("https://", "http://")) for text in column.texts)
    return is_address and not names_images(column) and "thumb" not in column.words


def _is_in_degrees(column: Column, _: int) -> bool:
    return all(map(is_degrees, column.texts))


def _titles(column: Column, rows: int) -> bool:
    return column.distinct >= 0.1 * rows and column.share(NUMBER) < 0.9


FITS: dict[str, Callable[[Column, int], bool]] = {
    "identifier": _identifies,
    "label": _titles,
    "rights": _states_rights,
    "nav_date": _dates,
    **dict.fromkeys(COORDINATES, _is_in_degrees),
    "place": lambda column, _: column.share(NUMBER) < 0.1,
    "homepage": _is_page_address,
    **dict.fromkeys(("summary", "alt_text", "credit", "page"), lambda column, _: not column.depth),
}
"""Functions that say if a column can be what a rule needs, by rule; of the column and the number of
rows."""
