// @ts-check
// Links to a detail: IIIF Content State API 1.0, sections 2.2, 3.1 and 6.
import { here } from './canvases.js';

/** @typedef {import('./canvases.js').Canvas} Canvas */
/** @typedef {import('./stage.js').Region} Region */

export const PARAMETER = 'iiif-content';
const MAX_CHARACTERS = 4096; // characters; ours are shorter than 1,000
const REGION = /^xywh=(pixel:|percent:)?(\d+(?:\.\d+)?),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/;

/** A content state that cannot be followed; `reason` names the text that says why. */
export class BadState extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Encode as section 6.2 says: URI component, then base64url without padding.
 * @param {string} text
 */
export function encodeState(text) {
  return btoa(encodeURIComponent(text)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** @param {string} code */
function decodeState(code) {
  try {
    return decodeURIComponent(atob(code.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')));
  } catch {
    throw new BadState('stateCode');
  }
}

/**
 * Return a content state of a region of a canvas.
 * @param {string} manifest
 * @param {string} canvas its address
 * @param {Region | null} region the whole canvas without one
 */
export function writeState(manifest, canvas, region) {
  const part = region ? `#xywh=${region.x},${region.y},${region.width},${region.height}` : '';
  const partOf = [{ id: manifest, type: 'Manifest' }];
  return encodeState(JSON.stringify({ id: canvas + part, type: 'Canvas', partOf }));
}

/**
 * Read a content state, plain or encoded; return the page and region that it names.
 * @param {string} value
 * @param {string} manifest
 * @param {Canvas[]} canvases
 * @returns {{ page: number, region: Region | null }}
 */
export function readState(value, manifest, canvases) {
  if (value.length > MAX_CHARACTERS) {
    throw new BadState('stateLong');
  }
  const [address, fragment] = target(value).split('#');
  let path = '';
  try {
    path = here(address);
  } catch {
    throw new BadState('stateCode');
  }
  const page = canvases.findIndex((canvas) => canvas.id && here(canvas.id) === path);
  if (page < 0 && path !== here(manifest)) {
    throw new BadState('stateElsewhere');
  }
  const shown = Math.max(page, 0);
  return { page: shown, region: fragment ? readRegion(fragment, canvases[shown]) : null };
}

/**
 * Read which part of which manifest a state points at, wherever that is; empty where it says nothing.
 * A state that is the address of something is taken for that of a manifest.
 * @param {string} value
 * @returns {{ manifest: string, canvas: string, xywh: string }}
 */
export function readTarget(value) {
  if (value.length > MAX_CHARACTERS) {
    throw new BadState('stateLong');
  }
  const state = parse(value);
  const resource = typeof state === 'string' ? state : targetOf(state);
  const [address, fragment = ''] = (addressOf(resource) ?? '').split('#');
  const manifest = manifestOf(resource);
  return manifest
    ? { manifest, canvas: address, xywh: fragment.replace(/^xywh=/, '') }
    : { manifest: address, canvas: '', xywh: '' };
}

/**
 * Return the address that a state points at, with its fragment.
 * @param {string} value
 * @returns {string}
 */
function target(value) {
  const state = parse(value);
  const found = typeof state === 'string' ? state : addressOf(targetOf(state));
  if (typeof found !== 'string') {
    throw new BadState('stateCode');
  }
  return found;
}

/**
 * Return a state's address, or its document.
 * @param {string} value
 * @returns {any}
 */
function parse(value) {
  if (/^https?:\/\//.test(value)) {
    return value;
  }
  const text = value.startsWith('{') ? value : decodeState(value);
  if (/^https?:\/\//.test(text)) {
    return text;
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new BadState('stateCode');
  }
}

/** @param {any} state */
const targetOf = (state) => (state?.type === 'Annotation' ? first(state.target) : state);

/**
 * Return the address of the manifest that a resource says it is part of.
 * @param {any} resource
 * @returns {string}
 */
function manifestOf(resource) {
  const part = first(resource?.partOf ?? resource?.source?.partOf ?? first(resource?.source)?.partOf);
  return (typeof part === 'string' ? part : part?.id) ?? '';
}

/** @param {any} value */
const first = (value) => (Array.isArray(value) ? value[0] : value);

/**
 * @param {any} resource
 * @returns {string | undefined}
 */
function addressOf(resource) {
  if (resource?.type === 'SpecificResource') {
    const selector = first(resource.selector);
    const part = selector?.type === 'FragmentSelector' ? `#${selector.value}` : '';
    const source = first(resource.source);
    const address = typeof source === 'string' ? source : source?.id;
    return address && address + part;
  }
  return typeof resource === 'string' ? resource : resource?.id;
}

/**
 * @param {string} fragment
 * @param {Canvas} canvas
 * @returns {Region}
 */
export function readRegion(fragment, canvas) {
  const found = REGION.exec(fragment);
  if (!found) {
    throw new BadState('stateCode');
  }
  const across = found[1] === 'percent:' ? canvas.width / 100 : 1;
  const down = found[1] === 'percent:' ? canvas.height / 100 : 1;
  const x = Number(found[2]) * across;
  const y = Number(found[3]) * down;
  const width = Math.min(Number(found[4]) * across, canvas.width - x);
  const height = Math.min(Number(found[5]) * down, canvas.height - y);
  if (!(width > 0 && height > 0)) {
    throw new BadState('stateRegion');
  }
  return { x, y, width, height };
}
