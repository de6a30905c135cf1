// @ts-check
// The viewer speaks: a live region says where the view is, once it rests.
import { magnification, middleImage, turned, visibleRegion } from './stage.js';

/** @typedef {import('./stage.js').OsdViewer} OsdViewer */
/** @typedef {import('./words.js').Say} Say */

const REST = 500; // milliseconds without a movement before it is said
export const WHOLE = 1.05; // times the size at which all of the image is on the stage

/**
 * Return what a view shows, as a sentence.
 * @param {OsdViewer} viewer
 * @param {Say} say
 * @param {Intl.NumberFormat} numbers
 */
export function describeView(viewer, say, numbers) {
  const zoom = magnification(viewer);
  const parts = [zoom <= WHOLE ? say('spokenWhole') : zoomed(viewer, zoom, say, numbers)];
  const degrees = turned(viewer);
  if (degrees) {
    parts.push(say('spokenTurned', { degrees }));
  }
  if (viewer.viewport.getFlip()) {
    parts.push(say('spokenFlipped'));
  }
  return parts.join(', ');
}

/**
 * @param {OsdViewer} viewer
 * @param {number} zoom
 * @param {Say} say
 * @param {Intl.NumberFormat} numbers
 */
function zoomed(viewer, zoom, say, numbers) {
  const { x, y, width, height } = visibleRegion(viewer);
  const size = middleImage(viewer).getContentSize();
  const third = (/** @type {number} */ middle) => Math.min(2, Math.floor(middle * 3));
  const place = `place-${third((x + width / 2) / size.x)}${third((y + height / 2) / size.y)}`;
  return say('spokenZoom', {
    zoom: numbers.format(zoom < 9.95 ? Math.round(zoom * 10) / 10 : Math.round(zoom)),
    place: say(place),
  });
}

/** A live region. */
export class Speech {
  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.region = document.createElement('p');
    this.region.className = 'spoken';
    this.region.setAttribute('role', 'status');
    figure.append(this.region);
    this.timer = 0;
    this.last = ''; // of what is said of a view at rest
  }

  /**
   * Say a text now.
   * @param {string} text
   */
  say(text) {
    clearTimeout(this.timer);
    // A text that is said again must change for a screen reader to read it.
    this.region.textContent = this.region.textContent === text ? `${text}\u00a0` : text;
  }

  /**
   * Say what `text` gives once nothing moves; not what was said last.
   * @param {() => string} text
   */
  sayAtRest(text) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const now = text();
      if (now !== this.last) {
        this.last = now;
        this.say(now);
      }
    }, REST);
  }
}
