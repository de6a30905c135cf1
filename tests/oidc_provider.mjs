// A certified OpenID Connect provider for tests: `node oidc_provider.mjs PORT CLIENTS ACCOUNTS`.
// Its login form takes any password; what it knows of an account is in ACCOUNTS, by the login.
import { generateKeyPairSync } from 'node:crypto';
import { Provider } from 'oidc-provider';

const [port, clients, accounts] = process.argv.slice(2).map((text) => JSON.parse(text));
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients,
  jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'first', use: 'sig', alg: 'RS256' }] },
  cookies: { keys: ['only for tests'] },
  claims: { openid: ['sub', 'groups'] },
  // Groups are in the ID token itself, as with the providers of institutions.
  conformIdTokenClaims: false,
  // The desk asks for its tokens from its page.
  clientBasedCORS: () => true,
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  findAccount: (context, login) =>
    accounts[login] && { accountId: login, claims: () => ({ sub: login, ...accounts[login] }) }
});
provider.listen(port, '127.0.0.1', () => console.log('ready'));
