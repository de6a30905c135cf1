// Before the services of access, which are a Lambda. CloudFront and njs 0.7.9 run this very file: it
// says what the Lambda believes, over what a viewer may have sent, and moves the Authorization
// header away, in whose place CloudFront puts its own signature.

function handler(event) {
  const request = event.request;
  const headers = request.headers;
  const host = headers.host ? headers.host.value : '';
  const authorization = headers.authorization ? headers.authorization.value : '';
  delete headers.authorization;
  headers['x-viewer-address'] = { value: event.viewer.ip };
  headers['x-viewer-authorization'] = { value: authorization };
  headers['x-public-base'] = { value: 'https://' + host };
  return request;
}
