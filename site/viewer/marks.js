// @ts-check
// What is marked in the pictures: matches of a search, and the line that somebody points at.
import { make } from './elements.js';

/** @typedef {import('./image-viewer.js').ImageViewer} ImageViewer */
/** @typedef {import('./stage.js').Region} Region */
/** @typedef {{ page: number, targets: string[] }} Marked */

const AROUND = 6; // heights of a match that are shown around it, on each side

/** Return the part of its canvas that a target names. @param {string} target @returns {Region | null} */
function regionOf(target) {
  const [x, y, width, height] = (target.split('#xywh=')[1] ?? '').split(',').map(Number);
  return height ? { x, y, width, height } : null;
}

export class Marks {
  /** @param {ImageViewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    /** @type {Marked[]} */
    this.matches = [];
    /** @type {HTMLElement[]} */
    this.drawn = [];
    /** @type {HTMLElement[]} */
    this.pointed = [];
    viewer.osd.addHandler('open', () => this.draw());
  }

  /** @param {Marked[]} matches */
  setMatches(matches) {
    this.matches = matches;
    this.draw();
  }

  clear() {
    this.remove(this.drawn);
    this.remove(this.pointed);
  }

  /** Draw the matches on the pages that are on the stage. */
  draw() {
    this.clear();
    if (!this.viewer.figure.classList.contains('reading')) {
      return;
    }
    for (const { page, targets } of this.matches) {
      this.drawn.push(...this.add(page, targets, 'match'));
    }
  }

  /**
   * Mark a line of a page in place of the one before; none of none.
   * @param {number} page
   * @param {string[]} targets
   */
  point(page, targets) {
    this.remove(this.pointed);
    this.pointed = this.add(page, targets, 'pointed');
  }

  /** Turn to a match, and show it large enough to be read. @param {Marked} match */
  async show({ page, targets }) {
    await this.viewer.show(page);
    const region = regionOf(targets[0] ?? '');
    const image = this.imageOf(page);
    if (!region || !image) {
      return;
    }
    const { scale } = this.viewer.canvases[page];
    const margin = AROUND * region.height;
    const [x, y] = [region.x - margin, region.y - margin];
    const [width, height] = [region.width + 2 * margin, region.height + 2 * margin];
    const bounds = image.imageToViewportRectangle(...[x, y, width, height].map((side) => side * scale));
    this.viewer.osd.viewport.fitBoundsWithConstraints(bounds);
  }

  /** @param {number} page @returns {any} */
  imageOf(page) {
    const place = this.viewer.places.indexOf(page);
    return place < 0 ? undefined : this.viewer.osd.world.getItemAt(place);
  }

  /**
   * @param {number} page
   * @param {string[]} targets
   * @param {string} kind
   */
  add(page, targets, kind) {
    const image = this.imageOf(page);
    const regions = image ? targets.flatMap((target) => regionOf(target) ?? []) : [];
    const { scale } = this.viewer.canvases[page];
    return regions.map(({ x, y, width, height }) => {
      const element = make('div', { class: `mark ${kind}`, 'aria-hidden': 'true' });
      const location = image.imageToViewportRectangle(...[x, y, width, height].map((side) => side * scale));
      this.viewer.osd.addOverlay({ element, location });
      return element;
    });
  }

  /** @param {HTMLElement[]} elements */
  remove(elements) {
    elements.splice(0).forEach((element) => this.viewer.osd.removeOverlay(element));
  }
}
