// @ts-check
// Brings the viewer to a page: after the page's picture, which until then has the line for itself.
import { loadOpenSeadragon } from './library.js';
import { loadWords } from './words.js';

/**
 * Resolve when a picture has come, or cannot come.
 * @param {HTMLImageElement} picture
 */
function arrival(picture) {
  return new Promise((resolve) => {
    if (picture.complete) {
      resolve(null);
    }
    ['load', 'error'].forEach((name) => picture.addEventListener(name, resolve, { once: true }));
  });
}

/** Resolve when somebody touches the page, or turns to its keys. */
function touch() {
  return new Promise((resolve) => {
    ['pointerdown', 'keydown'].forEach((name) => addEventListener(name, resolve, { once: true }));
  });
}

/** Load all parts of the viewer at once; none has to wait until another one names it. */
async function start() {
  const picture = /** @type {HTMLImageElement | null} */ (document.querySelector('[data-viewer] .canvas img'));
  if (picture) {
    await Promise.race([arrival(picture), touch()]);
  }
  // The viewer says itself what did not come.
  [loadOpenSeadragon(), loadWords()].forEach((part) => part.catch(() => {}));
  await import(/** @type {any} */ ('/viewer/viewer.js'));
}

start();
