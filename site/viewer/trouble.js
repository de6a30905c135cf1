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
  }

  tryAgain() {
    if (!this.element.hidden) {
      this.clear();
      this.viewer.osds.forEach((osd) => osd.world.resetItems());
    }
  }

  /**
   * Explain tiles that do not arrive.
   * @param {import('openseadragon').Viewer} osd
   * @param {() => Canvas} canvas
   */
  watch(osd, canvas) {
    osd.addHandler('tile-load-failed', async () => {
      if (this.asking || !this.element.hidden) {
        return;
      }
      this.asking = true;
      const { image, label } = canvas();
      this.show(this.say(await this.reason(image), { label }));
      this.asking = false;
    });
  }

  /** @param {string} image */
  async reason(image) {
    if (!navigator.onLine) {
      return 'offline';
    }
    const answer = await fetch(`${image}/info.json`, { cache: 'no-store' }).catch(() => null);
    return answer && GONE.includes(answer.status) ? 'goneImage' : 'unreachable';
  }
}
