// The first part of the functions before images, restricted images and searches: how they read an
// address, and what they answer themselves. CloudFront and njs 0.7.9 run this very file
// (docs/adr/0003): no destructuring, no for...of. vitrine/edge/functions.py says what it is part of.

const MAX_PATH_LENGTH = 2048;
const METHODS = 'GET, HEAD, OPTIONS';
const DESCRIPTIONS = {
  204: 'No Content',
  301: 'Moved Permanently',
  303: 'See Other',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  414: 'URI Too Long'
};

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    return refuse(400, 'the address is not UTF-8');
  }
}

function encoded(text) {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (sign) => '%' + sign.charCodeAt(0).toString(16).toUpperCase())
    .replace(/%3A/g, ':');
}

function refuseLong(uri) {
  if (uri.length > MAX_PATH_LENGTH) {
    refuse(414, 'the address is longer than ' + MAX_PATH_LENGTH + ' bytes');
  }
}

function refuseChanges(method) {
  if (method !== 'GET' && method !== 'HEAD') {
    refuse(405, 'only GET, HEAD and OPTIONS are answered here', { allow: METHODS });
  }
}

// Throws what `refusal` turns into a response.
function refuse(status, reason, headers) {
  throw { status: status, reason: reason, headers: headers || {} };
}

// Returns the response to what `refuse` threw, with a body of this type if it is not the gateway's.
// What else was thrown goes on.
function refusal(verdict, type, body) {
  if (!verdict.status) {
    throw verdict;
  }
  const response = answer(verdict.status, verdict.headers);
  response.headers['content-type'] = { value: type || 'application/json' };
  response.body = {
    encoding: 'text',
    data: JSON.stringify(body || { status: verdict.status, reason: verdict.reason })
  };
  return response;
}

function preflight() {
  return answer(204, {
    allow: METHODS,
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': '*, Authorization',
    'access-control-max-age': '86400'
  });
}

function answer(status, headers) {
  const all = {
    'access-control-allow-origin': { value: '*' },
    'access-control-expose-headers': { value: 'ETag, Link, Retry-After' },
    'cache-control': { value: 'no-store' }
  };
  Object.keys(headers).forEach((name) => {
    all[name] = { value: headers[name] };
  });
  return { statusCode: status, statusDescription: DESCRIPTIONS[status], headers: all };
}
