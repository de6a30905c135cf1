"""What is wrong with an environment's departments: each a sentence that says what to change."""

import re

from stacks.environment_values import EnvironmentValues
from vitrine.errors import MasterRejected
from vitrine.identify.identifier import normalise_identifier
from vitrine.settings.departments import ALL_COLLECTIONS, encode_departments
from vitrine.store.layout import collection_folder, owned_texts, owner_key

MAX_BYTES = 2_048
"""Bytes of all departments together: all variables of a Lambda have 4 KB (Lambda quotas)."""
MAX_CHARACTERS = 2_400
"""Characters about collections in the policy of a department: it has at most 6,144 characters (IAM
and STS quotas), and the rest of it is the same for all."""
_BUCKET_CHARACTERS = 80
"""Characters of the ARN of a bucket, in quotation marks."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_PRINCIPAL = re.compile(r"arn:[a-z-]+:iam::[0-9]{12}:(root|(user|role)/\S+)")
_SCOPE = re.compile(r"[!#-Z^-~]+")
"""A scope of RFC 6749, section 3.3, without brackets, which the gateway writes around some."""
_POLICY_TEXT = re.compile(r"[ -\xff]+")
"""Text that a policy of IAM may hold (IAM, "CreatePolicy", PolicyDocument)."""


def check_departments(environment: EnvironmentValues) -> None:
    """Raise ValueError, with a sentence, for departments that IAM or the API cannot keep apart."""
    owners: dict[str, str] = {}
    for name, department in environment.departments.items():
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"departments: {name!r} must have lower-case letters, digits and single hyphens "
                "only, since its policy is called after it"
            )
        _check_collections(name, department.collections)
        for collection in department.collections:
            other = owners.setdefault(collection, name)
            if other != name and collection != ALL_COLLECTIONS:
                raise ValueError(
                    f"departments: {other} and {name} both have {collection!r}, so they are one"
                )
        for member in department.members:
            _check_member(environment, name, member)
    size = len(encode_departments(environment.departments).encode())
    if size > MAX_BYTES:
        raise ValueError(
            f"departments: they take {size:,} bytes as JSON, and a Lambda has room for "
            f"{MAX_BYTES:,}: give the people of a department one role"
        )


def _check_collections(name: str, collections: tuple[str, ...]) -> None:
    if not collections:
        raise ValueError(f"departments: {name} must have a collection")
    size = sum(
        3 * _BUCKET_CHARACTERS + len(collection_folder(one) + owner_key(one) + owned_texts(one))
        for one in collections
    )
    if size > MAX_CHARACTERS:
        raise ValueError(
            f"departments: a policy of IAM has no room for the {len(collections)} collections of "
            f"{name}: make two departments of it, and give its people both policies"
        )
    if ALL_COLLECTIONS in collections:
        if len(collections) > 1:
            raise ValueError(f'departments: {name} has "*", so it needs no other collection')
        return
    for collection in collections:
        try:
            is_identifier = normalise_identifier(collection) == collection
        except MasterRejected:
            is_identifier = False
        if not is_identifier:
            raise ValueError(f"departments: {collection!r} of {name} is no identifier in NFC")
        if not _POLICY_TEXT.fullmatch(collection) or set(collection) & set("*?$"):
            raise ValueError(
                f"departments: a policy of IAM cannot name the masters of {collection!r}: a "
                "collection of a department has no *, ? or $, and no characters beyond Latin-1"
            )


def _check_member(environment: EnvironmentValues, name: str, member: str) -> None:
    access = environment.api.access if environment.api else "iam"
    if access == "iam" and not _PRINCIPAL.fullmatch(member):
        raise ValueError(
            f"departments: {member!r} of {name} is not the ARN of a role or a user, such as "
            "arn:aws:iam::ACCOUNT:role/prints"
        )
    if access == "jwt" and not _SCOPE.fullmatch(member):
        raise ValueError(
            f"departments: {member!r} of {name} is not a scope of a token, such as vitrine/prints"
        )
