// Leads addresses of an earlier server to ours: vitrine/migrate/old_addresses writes RULES and BASE
// in front. CloudFront and njs 0.7.9 run it (docs/adr/0003): no destructuring, no for...of.

const QUALITIES = { native: 'default', grey: 'gray' };

function target(uri) {
  for (let i = 0; i < RULES.length; i++) {
    const found = new RegExp('^(?:' + RULES[i][0] + ')$').exec(uri);
    if (found) {
      try {
        return BASE + RULES[i][1].map((part) => piece(part, found)).join('');
      } catch (error) {
        // An escape that is none.
      }
    }
  }
  return '';
}

function piece(part, found) {
  if (typeof part === 'string') {
    return part;
  }
  if (part > 0) {
    return encoded(decodeURIComponent(found[part]), '');
  }
  const request = found[found.length - 1];
  return request ? '/' + current(request) : '';
}

function current(request) {
  if (request.indexOf('/') < 0) {
    return request;
  }
  const parts = request.split('/').map(decodeURIComponent);
  const dot = parts[3].indexOf('.');
  const quality = dot < 0 ? parts[3] : parts[3].substring(0, dot);
  parts[3] = (QUALITIES[quality] || quality) + (dot < 0 ? '.jpg' : parts[3].substring(dot));
  return parts.map((part) => encoded(part, ',!^')).join('/');
}

function encoded(text, kept) {
  const all = encodeURIComponent(text)
    .replace(/[!'()*]/g, (sign) => '%' + sign.charCodeAt(0).toString(16).toUpperCase())
    .replace(/%3A/g, ':');
  return all.replace(/%2C|%21|%5E/g, (code) => {
    const sign = decodeURIComponent(code);
    return kept.indexOf(sign) < 0 ? code : sign;
  });
}

function handler(event) {
  const query = event.request.querystring;
  const names = Object.keys(query || {});
  const asked = names.map((name) => (query[name].value ? name + '=' + query[name].value : name));
  return answer(event.request.uri + (asked.length ? '?' + asked.join('&') : ''));
}

function answer(uri) {
  const location = target(uri);
  if (!location) {
    return { statusCode: 404, statusDescription: 'Not Found' };
  }
  return {
    statusCode: 301,
    statusDescription: 'Moved Permanently',
    headers: {
      location: { value: location },
      'cache-control': { value: 'public, max-age=86400' },
      'access-control-allow-origin': { value: '*' }
    }
  };
}
