// Before searches in texts, of an object or of all, which are a Lambda, after answers.js. CloudFront
// and njs 0.7.9 run this very file: no destructuring, no for...of. It gives every spelling of a search
// one path and one query, the key of what is kept, and lets nothing else through
// (vitrine/api/content_search.py answers).

const MAX_QUERY_LENGTH = 200;
const SERVICES = ['search-1', 'search-2', 'terms-1', 'terms-2'];
const FULL_TEXT = ['search-1', 'search-2'];
const MAX_MOTIVATION_LENGTH = 200;
const PREFIX = /^(oa:|sc:|http:\/\/www\.w3\.org\/ns\/oa#|http:\/\/iiif\.io\/api\/presentation\/2#)/;
const NOT_HEEDED = ['date', 'user'];

function handler(event) {
  const request = event.request;
  const host = request.headers.host ? request.headers.host.value : '';
  if (request.method === 'OPTIONS') {
    return preflight();
  }
  try {
    refuseChanges(request.method);
    request.uri = cleanPath(request.uri);
    request.querystring = cleanQuery(request.querystring, request.uri);
  } catch (verdict) {
    const title = DESCRIPTIONS[verdict.status];
    const problem = { title: title, status: verdict.status, detail: verdict.reason };
    return refusal(verdict, 'application/problem+json', problem);
  }
  request.headers = {
    host: { value: host },
    'x-public-base': { value: 'https://' + host },
    'x-request-uri': { value: request.uri }
  };
  return request;
}

function cleanPath(uri) {
  refuseLong(uri);
  const parts = uri.split('/').slice(2);
  const isVersion = parts[0] === '2' || parts[0] === '3';
  if (isVersion && parts.length === 2 && FULL_TEXT.indexOf(parts[1]) >= 0) {
    return ['/inside', parts[0], parts[1]].join('/');
  }
  if (!isVersion || parts.length !== 3 || !parts[1] || SERVICES.indexOf(parts[2]) < 0) {
    refuse(404, 'there is no such search: slashes of an identifier are written %2F');
  }
  return ['/inside', parts[0], encoded(decoded(parts[1])), parts[2]].join('/');
}

function cleanQuery(given, uri) {
  const kept = {};
  const text = given.q ? decoded(given.q.value.replace(/\+/g, ' ')) : '';
  const query = text.toLowerCase().replace(/\s+/g, ' ').trim();
  if (query.length > MAX_QUERY_LENGTH) {
    refuse(400, 'a query has at most ' + MAX_QUERY_LENGTH + ' characters');
  }
  kept.q = { value: encoded(query) };
  const motivation = cleanMotivation(given.motivation);
  if (motivation) {
    kept.motivation = { value: motivation };
  }
  const isAcross = uri.split('/').length === 4;
  const number = isAcross ? 'start' : uri.indexOf('/terms-') < 0 ? 'page' : 'min';
  const usual = isAcross ? '0' : '1';
  if (given[number] && given[number].value && given[number].value !== usual) {
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

// Each motivation once, in order, in one spelling: `oa:tagging Commenting` is `commenting tagging`.
function cleanMotivation(given) {
  const text = given ? decoded(given.value.replace(/\+/g, ' ')).toLowerCase() : '';
  if (text.length > MAX_MOTIVATION_LENGTH) {
    refuse(400, 'motivation has at most ' + MAX_MOTIVATION_LENGTH + ' characters');
  }
  const names = text.split(/\s+/).map((name) => name.replace(PREFIX, ''));
  const once = names.filter((name, place) => name && names.indexOf(name) === place);
  return once.sort().map(encoded).join('%20');
}
