// @ts-check
// What goes wrong, in a sentence over the image.
import { make } from './elements.js';

/** @typedef {import('./canvases.js').Canvas} Canvas */

const GONE = [403, 404, 410];

export class Trouble {
  /**
   * @param {import('./image-viewer.js').ImageViewer} viewer
   * @param {import('./words.js').Say} say
   */
  constructor(viewer, say) {
    this.viewer = viewer;
    this.say = say;
    this.element = make('p', { class: 'trouble', role: 'alert' });
    this.element.hidden = true;
    this.asking = false;
    this.triedAgain = 0; // What was requested before says nothing of the connection since.
    /** @type {Set<import('openseadragon').Tile>} */
    this.failed = new Set();
    viewer.stages.append(this.element);
    window.addEventListener('online', () => this.tryAgain());
  }

  /** @param {string} text */
  show(text) {
    this.element.textContent = text;
    this.element.hidden = false;
  }

  clear() {
    this.element.hidden = true;
    this.failed.clear();
  }

  tryAgain() {
    if (!this.element.hidden) {
      this.triedAgain = Date.now();
      this.loadFailed();
      this.clear();
    }
  }

  // OpenSeadragon requests no tile again that failed once.
  loadFailed() {
    if (!this.failed.size) {
      return;
    }
    this.failed.forEach((tile) => {
      tile.exists = true;
    });
    this.failed.clear();
    this.viewer.osds.forEach((osd) => osd.world.resetItems());
  }

  /**
   * Explain tiles that do not arrive.
   * @param {import('openseadragon').Viewer} osd
   * @param {() => Canvas} canvas
   */
  watch(osd, canvas) {
    osd.addHandler('tile-load-failed', async ({ tile, time }) => {
      this.failed.add(tile);
      if (time < this.triedAgain) {
        setTimeout(() => this.loadFailed()); // once OpenSeadragon has given it up
        return;
      }
      if (this.asking || !this.element.hidden) {
        return;
      }
      this.asking = true;
      await this.explain(canvas());
      this.asking = false;
    });
  }

  /** @param {Canvas} canvas */
  async explain(canvas) {
    const { image, label } = canvas;
    if (!navigator.onLine) {
      return this.show(this.say('offline'));
    }
    const answer = await fetch(`${image}/info.json`, { cache: 'no-store' }).catch(() => null);
    if (answer?.status === 401) {
      return this.viewer.wayIn?.close(canvas, answer.url);
    }
    const isGone = answer && GONE.includes(answer.status);
    this.show(this.say(isGone ? 'goneImage' : 'unreachable', { label }));
  }
}
