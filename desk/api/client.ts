// Calls of the API: what a change replaces, keys that let it be repeated, problems (RFC 9457).
import { noteAnswer, noteCall } from './calls';
import { apiAddress } from './configuration';
import { accessToken, signInAgain } from './sign-in';

export interface Answer<Body> {
  status: number;
  body: Body;
  /** Revision of the record, from its ETag; 0 for none. */
  revision: number;
}

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Revision that the change replaces; 0: there must be nothing yet; '*': whatever there is. */
  over?: number | '*';
  signal?: AbortSignal;
}

/** What the API, or the gateway in front of it, refused. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    title: string,
    readonly advice: string,
    readonly faults: readonly string[]
  ) {
    super(title);
  }
}

/** Nothing answered: the connection is broken, or the service is down. */
export class Unreachable extends Error {}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

const WAITS = [400, 1_200, 3_000]; // milliseconds before a call is repeated
const REPEATED = new Set([409, 429, 502, 503, 504]);
const REPEATED_CODES = new Set(['', 'try-again', 'key-in-use']);

/** Call the API. Throws Refused, Unreachable, or AbortError. */
export async function callApi<Body>(
  method: Method,
  path: string,
  options: CallOptions = {}
): Promise<Answer<Body>> {
  const headers = makeHeaders(method, options);
  const address = apiAddress(path + writeQuery(options.query));
  const body = options.body === undefined ? '' : JSON.stringify(options.body);
  for (const wait of WAITS) {
    try {
      return await callOnce<Body>(method, address, headers, body, options.signal);
    } catch (error) {
      if (!isPassing(error)) {
        throw error;
      }
      await pause(wait, options.signal);
    }
  }
  return await callOnce<Body>(method, address, headers, body, options.signal);
}

/** Wait, but no longer than until the signal says so. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Return a name as the end of a path. */
export function encodeName(name: string): string {
  return encodeURIComponent(name);
}

async function callOnce<Body>(
  method: Method,
  address: string,
  headers: Record<string, string>,
  body: string,
  signal?: AbortSignal
): Promise<Answer<Body>> {
  const noted = noteCall({ method, address, headers, body });
  let answer: Response;
  let text: string;
  try {
    const token = await accessToken();
    const sent = token ? { ...headers, authorization: `Bearer ${token}` } : headers;
    answer = await fetch(address, { method, headers: sent, body: body || null, signal: signal ?? null, cache: 'no-store' });
    text = await answer.text();
  } catch (error) {
    noteAnswer(noted, 0, String(error));
    if (signal?.aborted) {
      throw error;
    }
    throw new Unreachable();
  }
  noteAnswer(noted, answer.status, text);
  if (answer.status === 401) {
    await signInAgain();
  }
  if (!answer.ok) {
    throw readProblem(answer.status, text);
  }
  const revision = Number(/\d+/.exec(answer.headers.get('etag') ?? '')?.[0] ?? 0);
  return { status: answer.status, body: JSON.parse(text), revision };
}

function makeHeaders(method: Method, options: CallOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) {
    headers['content-type'] = 'application/json';
  }
  if (method !== 'GET') {
    headers['idempotency-key'] = crypto.randomUUID();
  }
  if (options.over === 0) {
    headers['if-none-match'] = '*';
  } else if (options.over !== undefined) {
    headers['if-match'] = options.over === '*' ? '*' : `"${options.over}"`;
  }
  return headers;
}

function writeQuery(query: CallOptions['query']): string {
  const written = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '' && value !== false) {
      written.set(name, String(value));
    }
  }
  return written.size ? `?${written}` : '';
}

function readProblem(status: number, text: string): Refused {
  try {
    const said = JSON.parse(text);
    const code = String(said.type ?? '').replace('/problems/', '');
    const sentence = said.detail || said.title || said.message || said.reason || `Status ${status}`;
    return new Refused(status, code, String(sentence), String(said.advice ?? ''), said.faults ?? []);
  } catch {
    return new Refused(status, '', `Status ${status}`, '', []);
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof Unreachable) {
    return true;
  }
  return error instanceof Refused && REPEATED.has(error.status) && REPEATED_CODES.has(error.code);
}
