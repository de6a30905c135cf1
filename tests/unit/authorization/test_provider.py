"""An ID token lets in who the provider says it is, for us, now, in answer to this sign-in."""

import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from vitrine.access.rights import Provider
from vitrine.authorization.provider import SOONEST_SECONDS, SignIn
from vitrine.authorization.provider_http import ProviderUnusable
from vitrine.authorization.way_in import WayIn, begin

ISSUER = "https://login.museum.org"
CALLBACK = "https://images.museum.org/auth/callback"
ANSWER = {"code": "abc", "iss": ISSUER}
KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
CURVE_KEY = ec.generate_private_key(ec.SECP256R1())


class ProviderOfTests:
    """A provider that answers what a test wants it to."""

    def __init__(self) -> None:
        self.discovery: dict[str, Any] = {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/keys",
            "authorization_response_iss_parameter_supported": True,
        }
        self.keys: dict[str, Any] = {"keys": [_public(KEY, "first")]}
        self.reply: Any = {}
        self.fetched: list[str] = []
        self.posted: list[tuple[Mapping[str, str], str, str]] = []

    def get(self, address: str) -> Any:
        self.fetched.append(address)
        return self.keys if address.endswith("/keys") else self.discovery

    def post(self, address: str, fields: Mapping[str, str], user: str, password: str) -> Any:
        self.posted.append((fields, user, password))
        return self.reply


@pytest.fixture
def provider() -> ProviderOfTests:
    return ProviderOfTests()


@pytest.fixture
def way_in() -> WayIn:
    return begin("staff", "")


def sign_in(provider: ProviderOfTests, **options: Any) -> SignIn:
    return SignIn(Provider(issuer=ISSUER, client="vitrine"), provider, **options)


def claims(way_in: WayIn, **changes: Any) -> dict[str, Any]:
    now = int(time.time())
    claims = {
        "iss": ISSUER,
        "sub": "ada",
        "aud": "vitrine",
        "iat": now,
        "exp": now + 300,
        "nonce": way_in.nonce,
        "groups": ["museum-staff", "curators"],
    }
    return {name: value for name, value in (claims | changes).items() if value is not None}


def token(claims: dict[str, Any], key: Any = KEY, algorithm: str = "RS256", **headers: Any) -> str:
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": "first", **headers})


def test_groups_of_a_valid_token_are_read(provider: ProviderOfTests, way_in: WayIn) -> None:
    provider.reply = {"id_token": token(claims(way_in))}
    person = sign_in(provider).finish(way_in, ANSWER, CALLBACK)
    assert (person.subject, person.groups) == ("ada", {"museum-staff", "curators"})


def test_the_code_is_exchanged_with_its_verifier(provider: ProviderOfTests, way_in: WayIn) -> None:
    provider.reply = {"id_token": token(claims(way_in))}
    sign_in(provider).finish(way_in, ANSWER, CALLBACK)
    ((fields, _, password),) = provider.posted
    assert (fields["code"], fields["code_verifier"]) == ("abc", way_in.verifier)
    assert (fields["client_id"], password) == ("vitrine", "")


def test_a_client_with_a_secret_signs_the_exchange(
    provider: ProviderOfTests, way_in: WayIn
) -> None:
    provider.reply = {"id_token": token(claims(way_in))}
    sign_in(provider, secret="s3cret").finish(way_in, ANSWER, CALLBACK)
    ((fields, user, password),) = provider.posted
    assert (user, password) == ("vitrine", "s3cret")
    assert "client_id" not in fields


def test_people_are_sent_with_a_challenge_and_never_with_the_verifier(
    provider: ProviderOfTests, way_in: WayIn
) -> None:
    address = sign_in(provider).address(way_in, CALLBACK)
    query = dict(parse_qsl(urlsplit(address).query))
    assert address.startswith(f"{ISSUER}/authorize?")
    assert (query["state"], query["nonce"]) == (way_in.state, way_in.nonce)
    assert query["code_challenge_method"] == "S256"
    assert query["redirect_uri"] == CALLBACK
    assert way_in.verifier not in address


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://evil.org"},
        {"aud": "another"},
        {"aud": ["vitrine", "another"]},
        {"aud": ["vitrine", "another"], "azp": "another"},
        {"azp": "another"},
        {"exp": int(time.time()) - 120},
        {"iat": int(time.time()) + 3_600},
        {"nonce": "another"},
        {"nonce": None},
        {"sub": None},
        {"exp": None},
        {"aud": None},
    ],
)
def test_a_token_for_others_or_of_another_time_lets_nobody_in(
    provider: ProviderOfTests, way_in: WayIn, changes: dict[str, Any]
) -> None:
    provider.reply = {"id_token": token(claims(way_in, **changes))}
    with pytest.raises(ProviderUnusable):
        sign_in(provider).finish(way_in, ANSWER, CALLBACK)


def test_a_token_for_several_clients_of_which_we_are_the_party_lets_in(
    provider: ProviderOfTests, way_in: WayIn
) -> None:
    both = claims(way_in, aud=["vitrine", "another"], azp="vitrine")
    provider.reply = {"id_token": token(both)}
    assert sign_in(provider).finish(way_in, ANSWER, CALLBACK).subject == "ada"


def test_forged_tokens_let_nobody_in(provider: ProviderOfTests, way_in: WayIn) -> None:
    good = claims(way_in)
    public = provider.keys["keys"][0]["n"]
    forged = [
        token(good, OTHER_KEY),
        token(good, kid="unknown"),
        token(good, None, "none"),
        token(good, public, "HS256"),
        token(good, CURVE_KEY, "ES256"),
        token(good)[:-4] + "AAAA",
        "a.b.c",
        "",
        "x" * 20_000,
    ]
    door = sign_in(provider)
    for text in forged:
        provider.reply = {"id_token": text}
        with pytest.raises(ProviderUnusable):
            door.finish(way_in, ANSWER, CALLBACK)


def test_a_symmetric_key_among_the_providers_signs_nothing(
    provider: ProviderOfTests, way_in: WayIn
) -> None:
    secret = b"a secret that is 32 bytes long.."
    encoded = urlsafe_b64encode(secret).decode()
    provider.keys = {"keys": [{"kty": "oct", "kid": "first", "k": encoded}]}
    provider.reply = {"id_token": token(claims(way_in), secret, "HS256")}
    with pytest.raises(ProviderUnusable):
        sign_in(provider).finish(way_in, ANSWER, CALLBACK)


@pytest.mark.parametrize("answer", [{"code": "abc"}, {"code": "abc", "iss": "https://evil.org"}])
def test_an_answer_of_another_provider_is_not_taken(
    provider: ProviderOfTests, way_in: WayIn, answer: dict[str, str]
) -> None:
    provider.reply = {"id_token": token(claims(way_in))}
    with pytest.raises(ProviderUnusable, match="another provider"):
        sign_in(provider).finish(way_in, answer, CALLBACK)
    assert not provider.posted


def test_a_new_key_of_the_provider_is_fetched_once_in_half_a_minute(
    provider: ProviderOfTests, way_in: WayIn
) -> None:
    now = [1_000.0]
    door = sign_in(provider, clock=lambda: now[0])
    provider.reply = {"id_token": token(claims(way_in))}
    door.finish(way_in, ANSWER, CALLBACK)
    fetched = len(provider.fetched)
    provider.keys = {"keys": [_public(OTHER_KEY, "second")]}
    provider.reply = {"id_token": token(claims(way_in), OTHER_KEY, kid="second")}
    for _ in range(50):
        with pytest.raises(ProviderUnusable):
            door.finish(way_in, ANSWER, CALLBACK)
    assert len(provider.fetched) == fetched
    now[0] += SOONEST_SECONDS + 1
    assert door.finish(way_in, ANSWER, CALLBACK).subject == "ada"


@pytest.mark.parametrize(
    ("claim", "groups"),
    [
        ("Visiting staff", {"Visiting staff"}),
        (["Museum staff", "staff"], {"Museum staff", "staff"}),
        (["museum-staff", 7, "x" * 300], {"museum-staff"}),
        ({"museum-staff": True}, set()),
        (None, set()),
    ],
)
def test_a_claim_of_groups_is_a_list_or_one_group_whose_name_may_have_spaces(
    provider: ProviderOfTests, way_in: WayIn, claim: Any, groups: set[str]
) -> None:
    provider.reply = {"id_token": token(claims(way_in, groups=claim))}
    assert sign_in(provider).finish(way_in, ANSWER, CALLBACK).groups == groups


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://evil.org"},
        {"token_endpoint": "http://login.museum.org/token"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": 7},
    ],
)
def test_a_description_that_is_not_the_providers_or_not_safe_is_not_used(
    provider: ProviderOfTests, way_in: WayIn, changes: dict[str, Any]
) -> None:
    provider.discovery |= changes
    with pytest.raises(ProviderUnusable):
        sign_in(provider).address(way_in, CALLBACK)


@pytest.mark.parametrize("keys", [{}, [], {"keys": []}, {"keys": [{"kty": "?"}]}, "no"])
def test_keys_that_make_no_sense_let_nobody_in(
    provider: ProviderOfTests, way_in: WayIn, keys: Any
) -> None:
    provider.keys = keys
    provider.reply = {"id_token": token(claims(way_in))}
    with pytest.raises(ProviderUnusable):
        sign_in(provider).finish(way_in, ANSWER, CALLBACK)


def _public(key: Any, name: str) -> dict[str, Any]:
    data = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**data, "kid": name, "use": "sig", "alg": "RS256"}
