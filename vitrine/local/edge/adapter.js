// Appended to the viewer-request function, after ROUTES: gives it CloudFront's event, and does
// what it answers.
async function serve(r) {
    const uri = r.variables.request_uri.split('?')[0];
    const headers = { host: { value: r.headersIn.host || '' } };
    const named = ['accept', 'authorization', 'origin', 'referer', 'sec-fetch-site', 'content-length'];
    named.forEach((name) => {
        if (r.headersIn[name]) {
            headers[name] = { value: r.headersIn[name] };
        }
    });
    const cookies = {};
    (r.headersIn.Cookie || '').split(';').forEach((part) => {
        const at = part.indexOf('=');
        cookies[part.substring(0, at).trim()] = { value: part.substring(at + 1).trim() };
    });
    const given = {};
    (r.variables.args || '').split('&').forEach((pair) => {
        const at = pair.indexOf('=');
        const name = at < 0 ? pair : pair.substring(0, at);
        // Of several values, CloudFront's `value` is the first one.
        if (name && !given[name]) {
            given[name] = { value: at < 0 ? '' : pair.substring(at + 1) };
        }
    });
    const request = { method: r.method, uri: uri, querystring: given, headers: headers };
    request.cookies = cookies;
    const viewer = { ip: r.remoteAddress };
    const verdict = await handler({ version: '1.0', context: {}, viewer: viewer, request: request });
    if (!verdict.statusCode) {
        r.variables.edge_path = verdict.uri;
        const kept = verdict.querystring;
        r.variables.edge_args = Object.keys(kept)
            .map((name) => name + '=' + kept[name].value)
            .join('&');
        const said = (name) => (verdict.headers[name] ? verdict.headers[name].value : '');
        r.variables.edge_accept = said('accept');
        r.variables.viewer_address = said('x-viewer-address');
        r.variables.viewer_signals = said('x-viewer-signals');
        r.variables.edge_ticket = said('x-vitrine-ticket');
        const location = ROUTES.filter((route) => new RegExp(route[0]).test(uri))[0][1];
        r.variables.page_place = location;
        r.internalRedirect(/^\/(objects|collections|embed|home)\//.test(uri) ? '@page' : location);
        return;
    }
    const body = verdict.body ? verdict.body.data : '';
    Object.keys(verdict.headers).forEach((name) => {
        r.headersOut[name] = verdict.headers[name].value;
    });
    r.headersOut['X-Cache'] = 'FUNCTION';
    r.status = verdict.statusCode;
    // r.return would put nginx's own page under a redirect.
    if (body) {
        r.headersOut['Content-Length'] = Buffer.byteLength(body);
    }
    r.sendHeader();
    if (body && r.method !== 'HEAD') {
        r.send(body);
    }
    r.finish();
}

export default { serve };
