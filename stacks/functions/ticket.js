// Verifies tickets as vitrine/access/tickets.py does, which has their form. CloudFront and njs 0.7.9
// run this very file (docs/adr/0003): no destructuring, no for...of.
import crypto from 'crypto';

const MAX_TICKET_LENGTH = 1400;
const SKEW_SECONDS = 60;
const MAX_SECONDS = { see: 43200, image: 3600, token: 43200, share: 31622400 };
const TICKET = /^v1\.([a-z0-9]{1,16})\.([A-Za-z0-9_-]{1,1300})\.([A-Za-z0-9_-]{43})$/;

// Returns the claims of a ticket shown at `now` by a viewer with this address, or null. `secretOf`
// resolves to the secret of a key, or to nothing.
async function verifyTicket(text, secretOf, now, address) {
  const parts = text.length <= MAX_TICKET_LENGTH ? TICKET.exec(text) : null;
  const secret = parts && (await secretOf(parts[1]));
  if (!secret) {
    return null;
  }
  const signed = text.substring(0, text.lastIndexOf('.'));
  const signature = crypto.createHmac('sha256', secret).update(signed).digest('base64url');
  if (!isSame(signature, parts[3])) {
    return null;
  }
  let claims;
  try {
    claims = JSON.parse(Buffer.from(parts[2], 'base64url').toString()) || {};
  } catch (error) {
    return null;
  }
  const age = now - claims.iat;
  if (!isWhole(claims.iat) || !isWhole(claims.exp) || now >= claims.exp) {
    return null;
  }
  // False for a use without a lifetime, too: it compares with nothing.
  if (!(age >= -SKEW_SECONDS && age < MAX_SECONDS[claims.use])) {
    return null;
  }
  return claims.net && claims.net !== network(address) ? null : claims;
}

function isWhole(value) {
  return Math.floor(value) === value;
}

// In a time that does not say where two texts of one length differ.
function isSame(one, other) {
  let difference = one.length ^ other.length;
  for (let i = 0; i < one.length; i++) {
    difference |= one.charCodeAt(i) ^ other.charCodeAt(i);
  }
  return difference === 0;
}

// An IPv4 address, or the first four groups of an IPv6 address.
function network(address) {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address);
  if (mapped || address.indexOf(':') < 0) {
    return mapped ? mapped[1] : address;
  }
  const halves = address.split('::').map((half) => (half ? half.split(':') : []));
  const first = halves[0];
  const last = halves[1] || [];
  while (first.length + last.length < 8) {
    first.push('0');
  }
  return first
    .concat(last)
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':');
}
