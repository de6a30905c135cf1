// Before the endpoint for programs that speak MCP, which is a Lambda. CloudFront and njs 0.7.9 run
// this very file: it answers what is no message, preflights of browsers first of all, each of which
// would cost an invocation.

const SAID = {
  jsonrpc: '2.0',
  id: null,
  error: {
    code: -32600,
    message:
      'This is an endpoint of the Model Context Protocol: programs POST to it ' +
      '(https://modelcontextprotocol.io).'
  }
};

function handler(event) {
  const request = event.request;
  if (request.method === 'POST') {
    return request;
  }
  const headers = {
    // Programs in a browser ask too, from any page: without cookies, for what is public.
    'access-control-allow-origin': { value: '*' },
    'access-control-allow-methods': { value: 'POST, OPTIONS' },
    'access-control-allow-headers': { value: '*' },
    'access-control-max-age': { value: '86400' },
    allow: { value: 'POST, OPTIONS' },
    'cache-control': { value: 'no-store' }
  };
  if (request.method === 'OPTIONS') {
    return { statusCode: 204, statusDescription: 'No Content', headers: headers };
  }
  headers['content-type'] = { value: 'application/json' };
  return {
    statusCode: 405,
    statusDescription: 'Method Not Allowed',
    headers: headers,
    body: { encoding: 'text', data: JSON.stringify(SAID) }
  };
}
