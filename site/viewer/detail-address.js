// @ts-check
// Which image an address of the page names, and which part of it, behind its number sign: view-2 for
// an image, xywh=x,y,w,h for a part of the only one (Media Fragments URI 1.0, 4.2.2), and
// canvas=2&xywh=x,y,w,h for a part of one of several.
import { BadState, readRegion } from './content-state.js';

/** @typedef {import('./canvases.js').Canvas} Canvas */
/** @typedef {import('./stage.js').Region} Region */

/**
 * Return the end of an address; empty for all of the first image.
 * @param {Canvas} canvas
 * @param {Canvas[]} canvases
 * @param {Region | null} region pixels of the canvas; all of it without one
 */
export function writeDetail(canvas, canvases, region) {
  const named = canvases.length > 1 ? `canvas=${canvas.number}&` : '';
  if (region) {
    return `#${named}xywh=${region.x},${region.y},${region.width},${region.height}`;
  }
  return canvas === canvases[0] ? '' : `#view-${canvas.number}`;
}

/**
 * Read the end of an address; the page is -1 if it names none, and BadState says why it cannot be read.
 * @param {string} hash with its sign
 * @param {Canvas[]} canvases
 * @returns {{ page: number, region: Region | null }}
 */
export function readDetail(hash, canvases) {
  const fields = new URLSearchParams(hash.slice(1));
  const part = fields.get('xywh');
  if (part === null) {
    return { page: pageOfAnchor(hash, canvases), region: null };
  }
  const number = Number(fields.get('canvas') ?? canvases[0].number);
  const page = canvases.findIndex((canvas) => canvas.number === number);
  if (page < 0) {
    throw new BadState('stateElsewhere');
  }
  return { page, region: readRegion(`xywh=${part}`, canvases[page]) };
}

/**
 * Return the page that an anchor is in, as those of a table of contents are; -1 for none.
 * @param {string} hash
 * @param {Canvas[]} canvases
 */
function pageOfAnchor(hash, canvases) {
  const named = document.getElementById(hash.slice(1))?.closest('.canvas');
  return canvases.findIndex(({ number }) => named?.id === `view-${number}`);
}
