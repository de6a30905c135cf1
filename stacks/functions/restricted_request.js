// Before restricted images, after answers.js and ticket.js. CloudFront and njs 0.7.9 run this very file: no
// destructuring, no for...of. It lets nobody through without a ticket, takes the ticket out of the
// path, so that it is no part of the cache's key, and hands it to the gateway in a header
// (vitrine/deliver/answer/access_paths.py has the addresses).
import cf from 'cloudfront';

const COOKIES = ['__Host-vitrine-ticket', '__Host-vitrine-place'];
const store = cf.kvs();

async function handler(event) {
  const request = event.request;
  if (request.method === 'OPTIONS') {
    return preflight();
  }
  const authorization = request.headers.authorization;
  const origin = request.headers.origin ? request.headers.origin.value : '';
  const host = request.headers.host;
  const accept = request.headers.accept;
  request.querystring = {};
  delete request.headers.authorization;
  delete request.headers['x-vitrine-ticket'];
  request.headers['x-viewer-address'] = { value: event.viewer.ip };
  request.headers['x-viewer-signals'] = { value: ',,' };
  request.headers['x-public-base'] = { value: 'https://' + (host ? host.value : '') };
  request.headers.accept = {
    value: accept && /ld\+json/i.test(accept.value) ? 'application/ld+json' : 'application/json'
  };
  const now = Date.now() / 1000;
  const shown = [];
  COOKIES.forEach((name) => {
    if (request.cookies[name]) {
      shown.push(request.cookies[name].value);
    }
  });
  try {
    refuseChanges(request.method);
    const asked = parsed(request.uri);
    const isInfo = asked.rest[0] === 'info.json' && asked.rest.length === 1;
    const found = asked.ticket ? [asked.ticket] : asked.right === 'share' ? [] : shown;
    if (authorization && isInfo && /^bearer /i.test(authorization.value)) {
      found.push(authorization.value.substring(7).trim());
    }
    let text = '';
    for (let i = 0; i < found.length && !text; i++) {
      const claims = await verifyTicket(found[i], secretOf, now, event.viewer.ip);
      if (claims && isShownBy(claims, origin) && (await permits(claims, asked, isInfo))) {
        text = found[i];
        asked.claims = claims;
      }
    }
    if (!text && !(isInfo && asked.right !== 'share')) {
      refuse(401, 'this image needs a ticket');
    }
    if (text) {
      request.headers['x-vitrine-ticket'] = { value: text };
    }
    // Answered here: from behind, it would name one holder's ticket under the key of all.
    if (asked.rest.join('') === '') {
      return answer(303, { location: request.uri.replace(/\/$/, '') + '/info.json' });
    }
    request.uri = cleanPath(asked, text, isInfo);
  } catch (verdict) {
    return refusal(verdict);
  }
  request.headers['x-request-uri'] = { value: request.uri };
  return request;
}

// What is asked for: of which right, with which ticket, and the segments after the identifier.
function parsed(uri) {
  refuseLong(uri);
  const parts = uri.split('/').slice(1);
  // Engines decode a path to choose its behavior: other spellings of ours are nobody's.
  const isOurs = parts.shift() === 'restricted';
  const right = parts.shift() || '';
  const ticket = parts[0] === 'iiif' ? '' : parts.shift();
  if (!isOurs || !/^[a-z][a-z0-9-]{0,31}$/.test(right) || parts.shift() !== 'iiif') {
    refuse(404, 'there is no such restricted address');
  }
  const version = parts.shift();
  const identifier = decoded(parts.shift() || '');
  const rest = parts.map(decoded);
  const isKnown = rest.length === 4 || /^(info\.json|download\.jpg)?$/.test(rest.join('/'));
  if ((version !== '2' && version !== '3') || !identifier || !isKnown) {
    refuse(404, 'there is no such restricted address');
  }
  if (/[\x00-\x1f\x7f]/.test(identifier) || hasDots(identifier)) {
    refuse(400, 'the address holds what no identifier may hold');
  }
  if (!rest.every((part) => /^(?!\.+$)[A-Za-z0-9,.:!^-]{0,60}$/.test(part))) {
    refuse(400, 'the address holds what no request for an image may hold');
  }
  return { right: right, ticket: ticket, version: version, identifier: identifier, rest: rest };
}

function hasDots(identifier) {
  const parts = identifier.replace(/\\/g, '/').split('/');
  return parts.indexOf('.') >= 0 || parts.indexOf('..') >= 0;
}

// A page that came to know the token of another one cannot use it; our own pages and programs send
// no origin.
function isShownBy(claims, origin) {
  return !origin || !claims.named || claims.named === origin;
}

async function permits(claims, asked, isInfo) {
  if (asked.right !== 'share') {
    const isFor =
      claims.use === 'see' ||
      (isInfo && claims.use === 'token') ||
      (claims.use === 'image' && claims.id === asked.identifier);
    return isFor && [].concat(claims.rights).indexOf(asked.right) >= 0;
  }
  if (claims.use !== 'share' || claims.id !== asked.identifier) {
    return false;
  }
  const format = isInfo ? '' : asked.rest.join('.').split('.').pop();
  if (format && claims.formats.length && claims.formats.indexOf(format) < 0) {
    refuse(403, 'this link shows the formats ' + claims.formats.join(', ') + ' only');
  }
  return !(await store.exists('revoked-' + claims.link));
}

// Image information of a ticket in the path names that path again, that of a token may name one: it
// is kept for that ticket or token alone, by its signature, and what it describes for all.
function cleanPath(asked, text, isInfo) {
  let door = '';
  if (isInfo) {
    const isOwn = text && (text === asked.ticket || asked.claims.named);
    door = isOwn ? '/' + text.split('.').pop() : text ? '' : '/nobody';
  } else if (asked.right === 'share') {
    const claims = asked.claims;
    door = '/' + (claims.since || 0) + '/' + claims.region + '/' + claims.size;
  }
  // Of one version, where everybody is redirected: a redirect would have to name the ticket again.
  const version = asked.rest[0] === 'download.jpg' ? '3' : asked.version;
  return ['/restricted/' + asked.right + door + '/iiif', version, encoded(asked.identifier)]
    .concat(asked.rest)
    .join('/');
}

async function secretOf(key) {
  try {
    return await store.get('key-' + key);
  } catch (error) {
    return '';
  }
}
