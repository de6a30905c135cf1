// CloudFront and njs 0.7.9 run this very file after the site's bucket, whose answers all have the
// status 200: what is written of a page next to it (vitrine/site/pages/page_files.py) is said.

const DESCRIPTIONS = { 301: 'Moved Permanently', 302: 'Found', 404: 'Not Found', 410: 'Gone' };

function handler(event) {
  const response = event.response;
  const headers = response.headers;
  const status = headers['x-amz-meta-status'];
  const location = headers['x-amz-meta-location'];
  delete headers['x-amz-meta-status'];
  delete headers['x-amz-meta-location'];
  // A 304 is about a page whose status the browser has already.
  if (status && /^[0-9]+$/.test(status.value) && DESCRIPTIONS[status.value] && response.statusCode === 200) {
    response.statusCode = +status.value;
    response.statusDescription = DESCRIPTIONS[status.value];
    if (location) {
      // As S3 keeps it (vitrine/adapters/aws/object_store.py).
      headers.location = { value: decodeURIComponent(location.value) };
    }
  }
  return response;
}
