
// Appended to the viewer-request function: gives it CloudFront's event, does what it answers.
async function serve(r) {
    const uri = r.variables.request_uri.split('?')[0];
    const headers = { host: { value: r.headersIn.host || '' } };
    const request = { method: r.method, uri: uri, querystring: {}, headers: headers, cookies: {} };
    const viewer = { ip: r.remoteAddress };
    const verdict = await handler({ version: '1.0', context: {}, viewer: viewer, request: request });
    if (!verdict.statusCode) {
        r.variables.edge_path = verdict.uri;
        r.internalRedirect(verdict.uri.indexOf('/iiif/') === 0 ? '@images' : '@site');
        return;
    }
    const location = verdict.headers.location;
    Object.keys(verdict.headers).forEach(function (name) {
        if (name !== 'location') { // r.return writes it
            r.headersOut[name] = verdict.headers[name].value;
        }
    });
    r.return(verdict.statusCode, location ? location.value : verdict.body.data);
}

export default { serve };
