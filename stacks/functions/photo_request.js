// Before a photo door that is a Lambda. CloudFront and njs 0.7.9 run this very file: it says what
// Lambda would not, answers preflights, which would cost an invocation for each photograph, and
// gives the door the public name, which is not in the Host of its request.

// Lambda takes 6 MB with the body in Base64: 4 MiB for a photograph, 64 KiB for the fields of a form.
const MAX_BYTES = 4259840;
const ADVICE =
  'Upload it to the address that `POST /photo-forms` returns when asked for an `upload`.';

function handler(event) {
  const request = event.request;
  if (request.method === 'OPTIONS') {
    return {
      statusCode: 204,
      statusDescription: 'No Content',
      headers: {
        'access-control-allow-origin': { value: '*' },
        'access-control-allow-methods': { value: 'POST, OPTIONS' },
        'access-control-allow-headers': { value: 'Authorization, Content-Type' },
        'access-control-max-age': { value: '86400' },
        allow: { value: 'POST, OPTIONS' },
        'cache-control': { value: 'no-store' }
      }
    };
  }
  const length = request.headers['content-length'];
  if (length && +length.value > MAX_BYTES) {
    return {
      statusCode: 413,
      statusDescription: 'Content Too Large',
      headers: {
        'access-control-allow-origin': { value: '*' },
        'cache-control': { value: 'no-store' },
        'content-type': { value: 'application/problem+json' }
      },
      body: {
        encoding: 'text',
        data: JSON.stringify({
          type: '/problems/photo-too-large',
          title: 'The photograph is too large for this door',
          status: 413,
          detail: 'A request has at most 4 MiB here.',
          advice: ADVICE
        })
      }
    };
  }
  const host = request.headers.host;
  request.headers['x-public-base'] = { value: 'https://' + (host ? host.value : '') };
  return request;
}
