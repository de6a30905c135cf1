// Signing in with the institution's OpenID Connect provider: authorization code with PKCE.
import { signal } from '@preact/signals';
import type * as OAuth from 'oauth4webapi';
import { configuration } from './configuration';

interface Tokens {
  access: string;
  /** Milliseconds since 1970. */
  expires: number;
  refresh?: string;
}

/** What is kept while somebody is at the provider. */
interface Started {
  verifier: string;
  state: string;
  nonce: string;
  hash: string;
}

const TOKENS = 'vitrine-desk-tokens';
const STARTED = 'vitrine-desk-sign-in';
const EARLY = 30_000; // milliseconds before a token expires
const HOUR = 3_600;

export const isSignedIn = signal(false);

/** Return a token to call the API with; '' where nobody signs in. Leaves the page if there is none. */
export async function accessToken(): Promise<string> {
  if (!configuration.issuer) {
    return '';
  }
  const tokens = readTokens();
  if (tokens && tokens.expires - EARLY > Date.now()) {
    return tokens.access;
  }
  return tokens?.refresh ? await refreshTokens(tokens.refresh) : await leaveToSignIn();
}

/** Sign in again: the API did not take the token. */
export async function signInAgain(): Promise<void> {
  if (configuration.issuer) {
    sessionStorage.removeItem(TOKENS);
    await leaveToSignIn();
  }
}

/** Forget the tokens, and sign out at the provider, if it has a page for that. */
export async function signOut(): Promise<void> {
  sessionStorage.removeItem(TOKENS);
  const { server, client } = await openProvider();
  const end = server.end_session_endpoint;
  location.assign(end ? `${end}?client_id=${encodeURIComponent(client.client_id)}` : '/');
}

/** Come back from the provider, or go there first. Throws Error if it refuses. */
export async function resumeSignIn(): Promise<void> {
  if (!configuration.issuer) {
    return;
  }
  const started: Started | null = JSON.parse(sessionStorage.getItem(STARTED) ?? 'null');
  if (started && /[?&](code|error)=/.test(location.search)) {
    await takeCode(started);
  }
  await accessToken();
  isSignedIn.value = true;
}

async function takeCode(started: Started): Promise<void> {
  const { oauth, server, client, options } = await openProvider();
  sessionStorage.removeItem(STARTED);
  const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), started.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectAddress(),
    started.verifier,
    options
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: started.nonce,
    requireIdToken: true
  });
  keepTokens(tokens);
  history.replaceState(null, '', location.pathname + started.hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

async function refreshTokens(refresh: string): Promise<string> {
  const { oauth, server, client, options } = await openProvider();
  try {
    const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh, options);
    return keepTokens(await oauth.processRefreshTokenResponse(server, client, answer), refresh);
  } catch {
    return await leaveToSignIn();
  }
}

/** Go to the provider; what was not published stays in this browser. */
async function leaveToSignIn(): Promise<never> {
  const { oauth, server, client } = await openProvider();
  const started: Started = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    hash: location.hash
  };
  sessionStorage.setItem(STARTED, JSON.stringify(started));
  const address = new URL(server.authorization_endpoint ?? '');
  const query = {
    client_id: client.client_id,
    redirect_uri: redirectAddress(),
    response_type: 'code',
    scope: configuration.scope ?? 'openid',
    code_challenge: await oauth.calculatePKCECodeChallenge(started.verifier),
    code_challenge_method: 'S256',
    state: started.state,
    nonce: started.nonce
  };
  Object.entries(query).forEach(([name, value]) => address.searchParams.set(name, value));
  location.assign(address);
  return await new Promise(() => undefined); // the page is being left
}

interface Provider {
  oauth: typeof OAuth;
  server: OAuth.AuthorizationServer;
  client: OAuth.Client;
  options: { [OAuth.allowInsecureRequests]?: boolean };
}

let provider: Promise<Provider> | null = null;

function openProvider(): Promise<Provider> {
  provider ??= discover();
  return provider;
}

async function discover(): Promise<Provider> {
  const oauth = await import('oauth4webapi');
  const issuer = new URL(configuration.issuer ?? '');
  // A provider without TLS is one on this very machine.
  const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(issuer.hostname);
  const options = { [oauth.allowInsecureRequests]: isHere };
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  return { oauth, server, client: { client_id: configuration.client ?? '' }, options };
}

function redirectAddress(): string {
  return `${location.origin}/desk/`;
}

function readTokens(): Tokens | null {
  return JSON.parse(sessionStorage.getItem(TOKENS) ?? 'null');
}

function keepTokens(answer: OAuth.TokenEndpointResponse, before?: string): string {
  const refresh = answer.refresh_token ?? before;
  const tokens: Tokens = {
    access: answer.access_token,
    expires: Date.now() + (answer.expires_in ?? HOUR) * 1_000,
    ...(refresh ? { refresh } : {})
  };
  sessionStorage.setItem(TOKENS, JSON.stringify(tokens));
  return tokens.access;
}
