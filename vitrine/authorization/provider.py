"""Signing in with an OpenID Connect provider: authorization code, PKCE, nonce and state.

OpenID Connect Core 1.0, section 3.1, with RFC 7636 (S256) and RFC 9207 (`iss` of the answer). Any
provider does that has a discovery document: Cognito, Keycloak, Entra ID, ….
"""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit

import jwt
import msgspec
from msgspec import Meta, Struct

from vitrine.access.rights import Provider
from vitrine.authorization.provider_http import ProviderHttp, ProviderUnusable
from vitrine.authorization.way_in import WayIn

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Algorithms of ID tokens. None is symmetric: our secret signs nothing."""
KEPT_SECONDS = 600.0
"""Seconds for which the provider's description and keys are kept."""
SOONEST_SECONDS = 30.0
"""After which a key that is not known has them fetched again: forged tokens cause no more."""
SKEW_SECONDS = 60
MAX_TOKEN_LENGTH = 16 << 10
MAX_GROUPS, MAX_GROUP_LENGTH = 1_000, 200
_Address = Annotated[str, Meta(min_length=8, max_length=1_000)]


class Discovery(Struct, frozen=True):
    """What of a provider's description is used (OpenID Connect Discovery 1.0, section 3)."""

    issuer: str
    authorization_endpoint: _Address
    token_endpoint: _Address
    jwks_uri: _Address
    authorization_response_iss_parameter_supported: bool = False
    end_session_endpoint: Annotated[str, Meta(max_length=1_000)] = ""


@dataclass(frozen=True, kw_only=True)
class SignedIn:
    """Somebody as the provider knows them."""

    subject: str
    groups: frozenset[str]


@dataclass(frozen=True)
class _Known:
    at: float
    discovery: Discovery
    keys: Mapping[str, jwt.PyJWK]


class SignIn:
    """One provider. It keeps what the provider says about itself for ten minutes."""

    def __init__(
        self,
        provider: Provider,
        http: ProviderHttp,
        secret: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`secret` is that of a confidential client; a public one has PKCE alone."""
        self._provider = provider
        self._http = http
        self._secret = secret
        self._clock = clock
        self._known: _Known | None = None

    def address(self, way_in: WayIn, callback: str) -> str:
        """Return where somebody signs in. Raises ProviderUnusable, TransientError."""
        digest = hashlib.sha256(way_in.verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": self._provider.client,
            "redirect_uri": callback,
            "scope": " ".join(self._provider.scopes),
            "state": way_in.state,
            "nonce": way_in.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return _with_query(self._cached_provider().discovery.authorization_endpoint, query)

    def sign_out_address(self) -> str:
        """Return where somebody ends the provider's own session; "" if the provider names none.

        OpenID Connect RP-Initiated Logout 1.0, section 2. We keep no ID token, so the provider asks
        whether they mean it. Raises ProviderUnusable, TransientError.
        """
        endpoint = self._cached_provider().discovery.end_session_endpoint
        return _with_query(endpoint, {"client_id": self._provider.client}) if endpoint else ""

    def finish(self, way_in: WayIn, answer: Mapping[str, str], callback: str) -> SignedIn:
        """Return who signed in, by the query of the callback's address.

        Raises ProviderUnusable, TransientError.
        """
        known = self._cached_provider()
        issuer = answer.get("iss", "")
        if issuer or known.discovery.authorization_response_iss_parameter_supported:
            _require_valid(issuer == self._provider.issuer, "the answer is another provider's")
        form = {
            "grant_type": "authorization_code",
            "code": answer.get("code", ""),
            "redirect_uri": callback,
            "code_verifier": way_in.verifier,
        }
        if not self._secret:
            form["client_id"] = self._provider.client
        reply = self._http.post(
            known.discovery.token_endpoint, form, self._provider.client, self._secret
        )
        token = reply.get("id_token") if isinstance(reply, dict) else None
        if not isinstance(token, str) or len(token) > MAX_TOKEN_LENGTH:
            raise ProviderUnusable("there is no ID token in the answer, or one that is too long")
        return self._read_token(token, way_in)

    def _read_token(self, token: str, way_in: WayIn) -> SignedIn:
        """Verify an ID token (OpenID Connect Core 1.0, section 3.1.3.7)."""
        claims: dict[str, Any] = {}
        try:
            claims = jwt.decode(
                token,
                self._find_key(token),
                algorithms=list(ALGORITHMS),
                audience=self._provider.client,
                issuer=self._provider.issuer,
                leeway=SKEW_SECONDS,
                options={"require": ["iss", "sub", "aud", "exp", "iat"]},
            )
        except jwt.PyJWTError as error:
            raise ProviderUnusable(f"the ID token is not valid: {type(error).__name__}") from None
        audience = claims["aud"]
        parties = audience if isinstance(audience, list) else [audience]
        party = claims.get("azp", self._provider.client if len(parties) == 1 else None)
        _require_valid(party == self._provider.client, "the ID token is for another client")
        nonce = str(claims.get("nonce", ""))
        same = hmac.compare_digest(nonce.encode(), way_in.nonce.encode())
        _require_valid(bool(way_in.nonce) and same, "the ID token is of another sign-in")
        groups = _read_groups(claims.get(self._provider.claim))
        return SignedIn(subject=str(claims["sub"])[:MAX_TOKEN_LENGTH], groups=groups)

    def _find_key(self, token: str) -> jwt.PyJWK:
        """Return the key that signed a token. Raises PyJWTError, ProviderUnusable."""
        name = str(jwt.get_unverified_header(token).get("kid", ""))
        known = self._cached_provider()
        if name not in known.keys and self._clock() - known.at > SOONEST_SECONDS:
            known = self._fetch_provider()
        if not name and len(known.keys) == 1:
            return next(iter(known.keys.values()))
        if name not in known.keys:
            raise ProviderUnusable("the ID token is signed with a key that the provider has not")
        return known.keys[name]

    def _cached_provider(self) -> _Known:
        if self._known and self._clock() - self._known.at < KEPT_SECONDS:
            return self._known
        return self._fetch_provider()

    def _fetch_provider(self) -> _Known:
        base = self._provider.issuer.rstrip("/")
        try:
            discovery = msgspec.convert(
                self._http.get(f"{base}/.well-known/openid-configuration"), Discovery
            )
        except msgspec.ValidationError as error:
            raise ProviderUnusable(f"the provider's description is not usable: {error}") from None
        _require_valid(
            discovery.issuer == self._provider.issuer, "the description is another issuer's"
        )
        for address in (
            discovery.authorization_endpoint,
            discovery.token_endpoint,
            discovery.jwks_uri,
            *filter(None, [discovery.end_session_endpoint]),
        ):
            _require_valid(
                _is_safe(address, self._provider.issuer), f"{address!r} is not encrypted"
            )
        keys = _read_keys(self._http.get(discovery.jwks_uri))
        self._known = _Known(self._clock(), discovery, keys)
        return self._known


def _read_keys(content: Any) -> dict[str, jwt.PyJWK]:
    """Return the keys that sign, by their names; those of a kind that is not known are left out."""
    try:
        found = jwt.PyJWKSet.from_dict(content).keys
    except (jwt.PyJWTError, AttributeError, TypeError, ValueError) as error:
        raise ProviderUnusable(f"the provider's keys are not usable: {error}") from None
    return {
        str(key.key_id or ""): key
        for key in found
        if key.public_key_use in (None, "sig") and key.key_type != "oct"
    }


def _read_groups(claim: Any) -> frozenset[str]:
    """Return the groups of a claim: a list of names, or one name, which may have spaces."""
    names = [claim] if isinstance(claim, str) else claim
    if not isinstance(names, list):
        return frozenset()
    return frozenset(
        name
        for name in names[:MAX_GROUPS]
        if isinstance(name, str) and len(name) <= MAX_GROUP_LENGTH
    )


def _with_query(endpoint: str, query: Mapping[str, str]) -> str:
    return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(query)}"


def _is_safe(address: str, issuer: str) -> bool:
    """Return True for https, and on this machine for what the issuer has."""
    return urlsplit(address).scheme in ("https", urlsplit(issuer).scheme)


def _require_valid(holds: bool, sentence: str) -> None:
    if not holds:
        raise ProviderUnusable(sentence)
