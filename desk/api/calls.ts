// The calls that the desk made of the API, the newest first, each to be repeated with curl.
import { signal } from '@preact/signals';
import { configuration } from './configuration';

export interface ApiCall {
  number: number;
  time: Date;
  method: string;
  address: string;
  headers: Record<string, string>;
  body: string;
  /** 0 until it is answered, and if nothing answered. */
  status: number;
  milliseconds: number;
  answer: string;
}

const MAX_CALLS = 500;
const MAX_ANSWER = 2_000;

export const calls = signal<readonly ApiCall[]>([]);
let count = 0;

/** Note that a call begins. */
export function noteCall(call: Pick<ApiCall, 'method' | 'address' | 'headers' | 'body'>): ApiCall {
  const noted = { ...call, number: ++count, time: new Date(), status: 0, milliseconds: 0, answer: '' };
  calls.value = [noted, ...calls.value].slice(0, MAX_CALLS);
  return noted;
}

/** Note what was answered. */
export function noteAnswer(call: ApiCall, status: number, answer: string): void {
  const milliseconds = Date.now() - call.time.getTime();
  const done = { ...call, status, milliseconds, answer: answer.slice(0, MAX_ANSWER) };
  calls.value = calls.value.map((one) => (one.number === call.number ? done : one));
}

/** Return the command that makes the same call; it names the token, but does not show it. */
export function curlCommand(call: ApiCall): string {
  const parts = ['curl', '--request', call.method, quote(call.address)];
  for (const [name, value] of Object.entries(call.headers)) {
    parts.push('--header', quote(`${name}: ${value}`));
  }
  if (configuration.issuer) {
    parts.push('--header', '"authorization: Bearer $TOKEN"');
  }
  if (call.body) {
    parts.push('--data-raw', quote(call.body));
  }
  return parts.join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
