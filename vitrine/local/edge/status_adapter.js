// Appended to the function behind the site's bucket. nginx cannot change the status of an answer
// that it passes on; but it can pass one on as the page of an error. So the page is looked at first
// (auth_request): what is not to be answered with 200 is forbidden there, and led to by that.
function judge(r) {
    const headers = {};
    ['x-amz-meta-status', 'x-amz-meta-location'].forEach((name) => {
        if (r.headersOut[name]) {
            headers[name] = { value: r.headersOut[name] };
        }
    });
    const response = { statusCode: r.status, statusDescription: '', headers: headers };
    const verdict = handler({ version: '1.0', context: {}, response: response });
    const isOwn = r.status === 200 && verdict.statusCode !== 200;
    if (isOwn) {
        r.variables.page_status = verdict.statusCode.toString();
        r.variables.page_location = verdict.headers.location ? verdict.headers.location.value : '';
    }
    r.status = isOwn ? 403 : 200;
}

function pass(r) {
    r.internalRedirect(r.variables.page_place);
}

export default { judge, pass };
