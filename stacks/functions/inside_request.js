// Before searches inside objects, which are a Lambda. CloudFront and njs 0.7.9 run this very file: no
// destructuring, no for...of. It gives every spelling of a search one path and one query, the key of
// what is kept, and lets nothing else through (vitrine/api/search_inside.py answers).

const LONGEST_PATH = 2048;
const LONGEST_QUERY = 200;
const SERVICES = ['search-1', 'search-2', 'terms-1', 'terms-2'];
const NOT_HEEDED = ['date', 'motivation', 'user'];
const METHODS = 'GET, HEAD, OPTIONS';
const DESCRIPTIONS = {
  204: 'No Content',
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  414: 'URI Too Long'
};

function handler(event) {
  const request = event.request;
  const host = request.headers.host ? request.headers.host.value : '';
  if (request.method === 'OPTIONS') {
    return answer(204, '', {
      allow: METHODS,
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400'
    });
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return answer(405, 'only GET, HEAD and OPTIONS are answered here', { allow: METHODS });
  }
  try {
    request.uri = cleanPath(request.uri);
    request.querystring = cleanQuery(request.querystring, request.uri);
  } catch (verdict) {
    if (!verdict.status) {
      throw verdict;
    }
    return answer(verdict.status, verdict.reason, {});
  }
  request.headers = {
    host: { value: host },
    'x-public-base': { value: 'https://' + host },
    'x-request-uri': { value: request.uri }
  };
  return request;
}

function cleanPath(uri) {
  if (uri.length > LONGEST_PATH) {
    refuse(414, 'the address is longer than ' + LONGEST_PATH + ' bytes');
  }
  const parts = uri.split('/').slice(2);
  const isKnown = parts.length === 3 && (parts[0] === '2' || parts[0] === '3') && parts[1];
  if (!isKnown || SERVICES.indexOf(parts[2]) < 0) {
    refuse(404, 'there is no such search: slashes of an identifier are written %2F');
  }
  return ['/inside', parts[0], encoded(decoded(parts[1])), parts[2]].join('/');
}

function cleanQuery(given, uri) {
  const kept = {};
  const text = given.q ? decoded(given.q.value.replace(/\+/g, ' ')) : '';
  const query = text.toLowerCase().replace(/\s+/g, ' ').trim();
  if (query.length > LONGEST_QUERY) {
    refuse(400, 'a query has at most ' + LONGEST_QUERY + ' characters');
  }
  kept.q = { value: encoded(query) };
  const number = uri.indexOf('/terms-') < 0 ? 'page' : 'min';
  if (given[number] && given[number].value && given[number].value !== '1') {
    if (!/^[1-9][0-9]{0,6}$/.test(given[number].value)) {
      refuse(400, number + ' is a number from 1');
    }
    kept[number] = { value: given[number].value };
  }
  const ignored = NOT_HEEDED.filter((name) => given[name]);
  if (ignored.length) {
    kept.ignored = { value: ignored.join(',') };
  }
  return kept;
}

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

function refuse(status, reason) {
  throw { status: status, reason: reason };
}

function answer(status, reason, headers) {
  const all = {
    'access-control-allow-origin': { value: '*' },
    'cache-control': { value: 'no-store' }
  };
  Object.keys(headers).forEach((name) => {
    all[name] = { value: headers[name] };
  });
  const response = { statusCode: status, statusDescription: DESCRIPTIONS[status], headers: all };
  if (reason) {
    all['content-type'] = { value: 'application/problem+json' };
    const problem = { title: DESCRIPTIONS[status], status: status, detail: reason };
    response.body = { encoding: 'text', data: JSON.stringify(problem) };
  }
  return response;
}
