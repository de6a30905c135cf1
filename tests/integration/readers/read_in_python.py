"""Prints, as JSON by the names of their rows, how validators of Python judge documents.

The documents of `documents.py` come as JSON on stdin. Runs in the validators' own environment.
"""

import json
import sys

from iiif_prezi3 import Manifest
from pydantic import ValidationError
from tripoli import IIIFValidator

documents = json.load(sys.stdin)


def judge_by_prezi3(name):
    try:
        Manifest(**documents[name])
    except ValidationError as error:
        return ", ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()
        )
    return "valid"


def judge_by_tripoli(name):
    validator = IIIFValidator(fail_fast=False)
    validator.validate(documents[name])
    return ", ".join(map(str, validator.errors)) or "valid"


seen = {
    "prezi3-dates": judge_by_prezi3("early 3"),
    "prezi3-places": judge_by_prezi3("placed 3"),
    "prezi3-unknown": judge_by_prezi3("unknown 3"),
    "prezi3-heights": judge_by_prezi3("flat 3"),
    "tripoli-collections": judge_by_tripoli("collection 2"),
    "tripoli-dates": judge_by_tripoli("unknown 2"),
    "tripoli-heights": judge_by_tripoli("flat 2"),
}
print(json.dumps(seen))
