// @ts-check
// The openings of a book: which pages lie next to each other, as `paged` of the Presentation API
// 3.0 has it (section 3.4): the first page alone, then two and two. What is `non-paged`, such as a
// plate, stands alone and does not count; a picture of `facing-pages` is an opening by itself.

/** @typedef {import('./canvases.js').Canvas} Canvas */

const NARROWEST = 640; // pixels of a stage with two pages that can be read

/**
 * Return the pages of each opening, in reading order.
 * @param {Pick<Canvas, 'alone'>[]} canvases
 * @returns {number[][]}
 */
export function arrangeOpenings(canvases) {
  /** @type {number[][]} */
  const openings = [];
  /** @type {number[] | null} */
  let half = null;
  let pages = 0;
  canvases.forEach(({ alone }, page) => {
    if (half && !alone) {
      half.push(page);
      half = null;
      return;
    }
    const opening = [page];
    openings.push(opening);
    if (alone !== 'non-paged') {
      pages += 1;
      half = alone || pages === 1 ? null : opening;
    }
  });
  return openings;
}

/**
 * Return true if a figure is a book that is turned sideways.
 * @param {HTMLElement} figure
 */
export function isBook(figure) {
  const { behaviour = '', direction = 'left-to-right' } = figure.dataset;
  return behaviour.split(' ').includes('paged') && ['left-to-right', 'right-to-left'].includes(direction);
}

/**
 * Return true if two pages of a book fit next to each other, not much smaller than one alone.
 * @param {HTMLElement} stage
 * @param {Pick<Canvas, 'width' | 'height'>} page
 */
export function isWide({ clientWidth, clientHeight }, { width, height }) {
  return clientWidth >= NARROWEST && clientWidth / clientHeight > (1.4 * width) / height;
}
