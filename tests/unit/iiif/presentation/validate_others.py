"""Prints the faults that iiif-prezi3 (3.0) or tripoli (2.1) finds in each document on stdin.

Runs in an environment of its own, with the version of the API as its argument.
"""

import json
import sys

from iiif_prezi3 import Collection, Manifest
from pydantic import ValidationError
from tripoli import IIIFValidator


def faults_of_3(document):
    kind = Collection if document["type"] == "Collection" else Manifest
    try:
        kind(**document)
    except ValidationError as error:
        return [f"{fault['loc']} {fault['msg']}" for fault in error.errors()]
    return []


def faults_of_2(document):
    if document["@type"] == "sc:Collection":
        return []  # tripoli knows manifests alone
    validator = IIIFValidator(fail_fast=False)
    validator.validate(document)
    # Its warnings are about what should be there, such as a description.
    return [str(fault) for fault in validator.errors]


judge = {"2": faults_of_2, "3": faults_of_3}[sys.argv[1]]
print(json.dumps([judge(document) for document in json.load(sys.stdin)]))
