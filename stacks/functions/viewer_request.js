// The edge's viewer-request function: CloudFront runtime 2.0 and njs run this very file (docs/adr/0003).
// It answers what is certain from the path alone and passes all else to the gateway, which decides
// alike. Written without destructuring and for...of, which njs 0.7.9 does not know.

const LONGEST_PATH = 2048;
const READING_METHODS = ['GET', 'HEAD', 'OPTIONS'];
const IMAGE_REQUEST = /^\/iiif\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+\.[^/.]+)$/;
const INFORMATION_REQUEST = /^\/iiif\/([^/]+)\/info\.json$/;
const UNVERSIONED_BASE = /^\/iiif\/([^/]+)$/;
const VERSIONED_BASE = /^\/iiif\/[23]\/([^/]+)$/;
const RESERVED = ['', '2', '3', 'ingest', 'manifests', 'info.json']; // vitrine.identify.identifier

function handler(event) {
    const request = event.request;
    const refusal = refuse(request);
    if (refusal) {
        return refusal;
    }
    request.querystring = {};
    const redirection = request.method === 'OPTIONS' ? null : redirect(request.uri);
    if (redirection) {
        return redirection;
    }
    if (request.uri === '/') {
        request.uri = '/index.html';
    }
    return request;
}

function refuse(request) {
    const uri = request.uri;
    if (READING_METHODS.indexOf(request.method) < 0) {
        return answer(405, 'Method Not Allowed', 'only GET, HEAD and OPTIONS are answered here', {
            allow: { value: READING_METHODS.join(', ') }
        });
    }
    if (uri.length > LONGEST_PATH) {
        return answer(414, 'URI Too Long', 'the address is longer than ' + LONGEST_PATH + ' bytes', {});
    }
    const problem = pathProblem(uri);
    return problem ? answer(400, 'Bad Request', problem, {}) : null;
}

function pathProblem(uri) {
    if (/%(?![0-9A-Fa-f]{2})/.test(uri)) {
        return 'the address holds a % that starts no escape';
    }
    if (/[\x00-\x1f\x7f]|%[01][0-9A-Fa-f]|%7[Ff]/.test(uri)) {
        return 'the address holds a control character';
    }
    const segments = uri.replace(/%2[Ee]/g, '.').replace(/%2[Ff]|%5[Cc]|\\/g, '/').split('/');
    if (segments.indexOf('..') >= 0 || segments.indexOf('.') >= 0) {
        return 'the address holds a "." or ".." segment';
    }
    return null;
}

function redirect(uri) {
    const base = VERSIONED_BASE.exec(uri);
    if (base && RESERVED.indexOf(base[1]) < 0) {
        return answer(303, 'See Other', 'the image information is at info.json', {
            location: { value: uri + '/info.json' }
        });
    }
    const newest = newestVersion(uri);
    return newest && answer(301, 'Moved Permanently', 'this address names its API version', {
        location: { value: newest }
    });
}

// The size `full` exists in version 2 only; everything else reads alike in both.
function newestVersion(uri) {
    const image = IMAGE_REQUEST.exec(uri);
    const other = INFORMATION_REQUEST.exec(uri) || UNVERSIONED_BASE.exec(uri);
    const identifier = (image || other || ['', ''])[1];
    if (RESERVED.indexOf(identifier) >= 0) {
        return null;
    }
    const version = image && image[3] === 'full' ? '2' : '3';
    return '/iiif/' + version + uri.substring('/iiif'.length);
}

function answer(status, description, reason, headers) {
    headers['content-type'] = { value: 'application/json' };
    headers['access-control-allow-origin'] = { value: '*' };
    headers['cache-control'] = { value: status < 400 ? 'public, max-age=86400' : 'no-store' };
    return {
        statusCode: status,
        statusDescription: description,
        headers: headers,
        body: { encoding: 'text', data: JSON.stringify({ status: status, reason: reason }) }
    };
}
