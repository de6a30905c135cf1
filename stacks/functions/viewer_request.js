// After answers.js. CloudFront and njs 0.7.9 run this very file (docs/adr/0003): no destructuring, no
// for...of. It answers what the path alone decides, as the gateway would (vitrine/iiif), and gives
// every spelling of a request one path, the cache's key. All else is the gateway's.

const QUALITIES = ['default', 'color', 'gray', 'bitonal'];
const FORMATS = ['jpg', 'png', 'webp', 'gif', 'tif', 'avif', 'jxl'];
const TURNS = ['0', '90', '180', '270', '360'];
const LINKED = 'application/ld+json';
const PLAIN = 'application/json';
const LIVES = { 301: 'public, max-age=86400', 400: 'public, max-age=60' };

function handler(event) {
  const request = event.request;
  if (request.method === 'OPTIONS') {
    return preflight();
  }
  request.querystring = {};
  // What clients send under this name is replaced: the gateway limits large renders by it.
  request.headers['x-viewer-address'] = { value: event.viewer.ip };
  // The firewall's word, where it has one; the others can be made up. They are no wall, but say who
  // gives way first (vitrine/deliver/answer/signals.py).
  request.headers['x-viewer-signals'] = {
    value: ['x-amzn-waf-bot', 'sec-fetch-site', 'referer'].map((n) => signal(request, n)).join(',')
  };
  try {
    refuseChanges(request.method);
    request.uri = rewritten(request.uri);
  } catch (verdict) {
    const response = refusal(verdict);
    const life = LIVES[verdict.status];
    if (life) {
      response.headers['cache-control'] = { value: life };
    }
    return response;
  }
  const accept = (request.headers.accept && request.headers.accept.value) || '*/*';
  // For a Lambda, which knows neither our name nor the address as it was written.
  const host = request.headers.host;
  request.headers['x-public-base'] = { value: 'https://' + (host ? host.value : '') };
  request.headers['x-request-uri'] = { value: request.uri };
  const image = /^\/iiif\/[23]\/([^/]+)$/.exec(request.uri);
  const document = /^.(iiif|presentation).([23]).+(info|manifest|collection)[.]json$/.exec(request.uri);
  if (document) {
    request.headers.accept = { value: accepted(accept.toLowerCase(), document[2]) };
  } else if (image && /text\/html/i.test(accept)) {
    // People get the page that shows it.
    return answer(303, { location: '/objects/' + image[1], vary: 'Accept' });
  }
  return request;
}

function signal(request, name) {
  const sent = request.headers[name];
  const text = sent ? sent.value.toLowerCase().replace(/^https?:[/][/]([^/:?#]*).*$/, '$1') : '';
  return /^[a-z0-9.-]{1,99}$/.test(text) ? text : '';
}

// One of two spellings, for the key: the gateway answers it as the viewer's (http/json_media.py).
function accepted(accept, version) {
  const weights = {};
  accept.split(',').forEach((range) => {
    const parts = range.split(';').map((part) => part.trim());
    weights[parts[0]] = 1;
    parts.forEach((part) => {
      if (part.startsWith('q=')) {
        weights[parts[0]] = /^q=[01](\.\d{0,3})?$/.test(part) ? +part.substring(2) : 0;
      }
    });
  });
  const weight = (type) =>
    [type, 'application/*', '*/*'].map((range) => weights[range]).concat(0).find((w) => w >= 0);
  const meant = LINKED in weights || (version === '3' && !('text/html' in weights));
  return meant && weight(LINKED) && weight(LINKED) >= weight(PLAIN) ? LINKED : PLAIN;
}

function rewritten(uri) {
  refuseHostile(uri);
  if (uri.startsWith('/iiif/')) {
    return imagePath(uri.substring('/iiif/'.length).split('/'));
  }
  if (uri.startsWith('/presentation/')) {
    return manifestPath(uri.substring('/presentation/'.length).split('/'));
  }
  if (/^\/(objects|collections|embed|oembed)\/./.test(uri)) {
    return pagePath(uri.split('/'));
  }
  // S3 reads %2F as a slash: what the Lambda of texts and the gateway keep to themselves has no address.
  const named = uri.replace(/%([2-7].)/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  if (/^\/(inside|presentation)\//.test(named)) {
    refuse(404, 'nothing here');
  }
  if (uri === '/desk') {
    refuse(301, 'the desk has a slash at its end', { location: '/desk/' });
  }
  return uri === '/' || uri === '/desk/' ? uri + 'index.html' : uri;
}

function refuseHostile(uri) {
  refuseLong(uri);
  if (/%(?![0-9A-Fa-f]{2})/.test(uri)) {
    invalid('the address holds a % that starts no escape');
  }
  if (/[^\x21-\x7e]|%[01][0-9A-Fa-f]|%7[Ff]/.test(uri)) {
    invalid('the address holds a character that no address may hold');
  }
  const segments = uri.replace(/%2[Ee]/g, '.').replace(/%2[Ff]|%5[Cc]|\\/g, '/').split('/');
  if (segments.indexOf('..') >= 0 || segments.indexOf('.') >= 0) {
    invalid('the address holds a "." or ".." segment');
  }
}

// As vitrine/iiif does it: address.py, request.py, region.py, size.py, rotation.py.
function imagePath(segments) {
  if (segments.length > 1 && segments[segments.length - 1] === '') {
    segments.pop();
  }
  const version = segments[0] === '2' || segments[0] === '3' ? segments.shift() : '';
  if (!segments.length || !segments[0]) {
    invalid('the address names no image');
  }
  const parameters = segments.slice(1).map(decoded);
  checkShape(parameters);
  const identifier = '/' + encoded(decoded(segments[0]));
  // A whole image is the same in both versions.
  if (!version || (version === '2' && parameters[0] === 'download.jpg')) {
    const newest = parameters[1] === 'full' ? '2' : '3';
    const parts = [identifier].concat(parameters.map(encodedParameter));
    refuse(301, 'this address names its API version', {
      location: '/iiif/' + newest + parts.join('/')
    });
  }
  const rest = parameters.length === 4 ? imageRequest(parameters, version) : parameters;
  return '/iiif/' + version + [identifier].concat(rest).join('/');
}

// As vitrine/iiif/presentation/addresses.py does it.
function manifestPath(segments) {
  if (segments.length > 1 && segments[segments.length - 1] === '') {
    segments.pop();
  }
  const version = segments[0] === '2' || segments[0] === '3' ? segments.shift() : '';
  if (!segments.length || !segments[0]) {
    invalid('the address names no object');
  }
  const rest = segments.slice(1).map(decoded);
  const name = rest.length ? rest[0] : 'manifest.json';
  if (rest.length > 1 || !/^((manifest|collection|(collection|text|annotations)-[1-9]\d{0,4})\.json|object\.pdf|text\.txt)$/.test(name)) {
    refuse(404, 'there is no such manifest: slashes of an identifier are written %2F');
  }
  const path = '/presentation/' + (version || '3') + '/' + encoded(decoded(segments[0])) + '/' + name;
  if (!version || !rest.length) {
    refuse(301, 'this address names its manifest', { location: path });
  }
  return path;
}

// As vitrine/store/layout.py names pages. S3 decodes the path: an identifier's slash, which is none
// of the key, is encoded twice.
function pagePath(segments) {
  if (segments.length > 3 && segments[segments.length - 1] === '') {
    segments.pop();
  }
  segments[2] = encoded(decoded(segments[2])).replace(/%(25|2F)/g, '%25$1');
  return segments.join('/');
}

function checkShape(parameters) {
  const last = parameters[parameters.length - 1];
  const named = last === 'info.json' || last === 'download.jpg';
  if (parameters.length === 0 || (parameters.length === 1 && named)) {
    return;
  }
  if (parameters.length > 4 || named) {
    refuse(404, 'there is no such image: slashes of an identifier are written %2F');
  }
  if (parameters.length !== 4 || parameters.indexOf('') >= 0) {
    invalid(
      'an address is {identifier}/info.json or' +
        ' {identifier}/{region}/{size}/{rotation}/{quality}.{format}'
    );
  }
}

function imageRequest(parameters, version) {
  const last = parameters[3];
  const dot = last.lastIndexOf('.');
  const quality = last.substring(0, dot);
  if (dot < 0) {
    invalid('the last part must be quality.format');
  }
  if (quality === 'native') {
    invalid("the quality native is version 1's: since version 2 it is default");
  }
  if (QUALITIES.indexOf(quality) < 0) {
    invalid('the quality must be one of ' + QUALITIES.join(', '));
  }
  if (FORMATS.indexOf(last.substring(dot + 1)) < 0) {
    invalid('the format must be one of ' + FORMATS.join(', '));
  }
  return [
    region(parameters[0]),
    size(parameters[1], version),
    rotation(parameters[2]),
    (quality === 'color' ? 'default' : quality) + last.substring(dot)
  ];
}

function region(text) {
  if (text === 'full' || text === 'square') {
    return text;
  }
  const percent = text.startsWith('pct:');
  const parts = (percent ? text.substring(4) : text).split(',');
  if (parts.length !== 4) {
    invalid('the region must be full, square, x,y,w,h or pct:…');
  }
  if (!percent) {
    return parts.map((part) => whole(part, 'a number of the region')).join(',');
  }
  const numbers = parts.map((part) => decimal(part, 'a percentage of the region'));
  const all = numbers[0] === '0' && numbers[1] === '0';
  return all && parseInt(numbers[2]) >= 100 && parseInt(numbers[3]) >= 100
    ? 'full'
    : 'pct:' + numbers.join(',');
}

function size(text, version) {
  if (text === 'full' && version === '2') {
    return text;
  }
  if (text === 'full') {
    invalid("the size full is version 2's: in version 3 it is max");
  }
  const mark = version === '3' && text.startsWith('^') ? '^' : '';
  const rest = text.substring(mark.length);
  if (rest === 'max') {
    return text;
  }
  if (rest.startsWith('pct:')) {
    const percent = decimal(rest.substring(4), 'the percentage of the size');
    if (percent === '100' && version === '2') {
      return 'full';
    }
    // Only what is enlarged needs the mark.
    const larger = parseInt(percent) >= 100 && percent !== '100';
    return (larger ? mark : '') + 'pct:' + percent;
  }
  const confined = rest.startsWith('!') ? '!' : '';
  const sides = rest.substring(confined.length);
  const comma = sides.indexOf(',');
  const width = sides.substring(0, comma);
  const height = sides.substring(comma + 1);
  if (comma < 0 || !(width || height) || (confined && !(width && height))) {
    invalid('the size must be max, w,h, w, ,h, !w,h or pct:n');
  }
  return mark + confined + (width && side(width)) + ',' + (height && side(height));
}

function side(text) {
  const number = whole(text, 'a number of the size');
  if (number === '0') {
    invalid('the size is zero');
  }
  return number;
}

function rotation(text) {
  const mirrored = text.startsWith('!') ? '!' : '';
  const degrees = decimal(text.substring(mirrored.length), 'the rotation');
  if (parseInt(degrees) >= 360 && degrees !== '360') {
    invalid('the rotation is more than 360 degrees');
  }
  if (TURNS.indexOf(degrees) < 0) {
    invalid('only rotations by 0, 90, 180, 270 and 360 degrees are offered');
  }
  return mirrored + (degrees === '360' ? '0' : degrees);
}

function whole(text, what) {
  if (!/^\d{1,9}$/.test(text)) {
    invalid(what + ' must be a whole number');
  }
  return text.replace(/^0+(?=\d)/, '');
}

// As text: a float takes 90 and a billionth for 90.
function decimal(text, what) {
  if (!/^\d{1,9}(\.\d{1,20})?$/.test(text)) {
    invalid(what + ' must be a decimal number');
  }
  const parts = text.split('.');
  const fraction = (parts[1] || '').replace(/0+$/, '');
  return parts[0].replace(/^0+(?=\d)/, '') + (fraction && '.' + fraction);
}

function encodedParameter(text) {
  return encoded(text).replace(/%2C/g, ',').replace(/%21/g, '!').replace(/%5E/g, '^');
}

function invalid(reason) {
  refuse(400, reason);
}
