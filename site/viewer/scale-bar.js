// @ts-check
// The physical scale, where the resolution of the image is known.
import { imageScale } from './stage.js';

/** @typedef {import('./stage.js').OsdViewer} OsdViewer */

const MAX_LENGTH_PIXELS = 160; // pixels of the screen
const UNITS = [
  { name: 'µm', millimetres: 0.001 },
  { name: 'mm', millimetres: 1 },
  { name: 'cm', millimetres: 10 },
  { name: 'm', millimetres: 1000 },
];

/**
 * Return a round length that is at most `limit` millimetres: 1, 2 or 5 times a power of ten.
 * @param {number} limit
 */
export function roundLength(limit) {
  const power = 10 ** Math.floor(Math.log10(limit));
  const step = [5, 2, 1].find((factor) => factor * power <= limit * (1 + 1e-9)) ?? 1;
  return step * power;
}

/**
 * Return a length in the unit in which it is a small number: "5 mm", "2 cm".
 * @param {number} millimetres
 * @param {Intl.NumberFormat} numbers
 */
export function writeLength(millimetres, numbers) {
  const fitting = UNITS.filter((unit) => unit.millimetres <= millimetres * (1 + 1e-9));
  const unit = fitting[fitting.length - 1] ?? UNITS[0];
  return `${numbers.format(Number((millimetres / unit.millimetres).toPrecision(3)))} ${unit.name}`;
}

/** A bar on a stage, as long as its text says. */
export class ScaleBar {
  /**
   * @param {HTMLElement} stage
   * @param {import('./words.js').Say} say
   * @param {Intl.NumberFormat} numbers
   */
  constructor(stage, say, numbers) {
    this.say = say;
    this.numbers = numbers;
    this.element = document.createElement('div');
    this.element.className = 'scale';
    this.element.setAttribute('role', 'img');
    this.element.hidden = true;
    stage.append(this.element);
  }

  /**
   * Draw the bar for the present zoom.
   * @param {OsdViewer} viewer
   * @param {number} resolution pixels of the image per millimetre; 0 where it is not known
   */
  draw(viewer, resolution) {
    this.element.hidden = !resolution || viewer.world.getItemCount() === 0;
    if (this.element.hidden) {
      return;
    }
    const pixelsPerMillimetre = imageScale(viewer) * resolution;
    const length = roundLength(MAX_LENGTH_PIXELS / pixelsPerMillimetre);
    const text = writeLength(length, this.numbers);
    this.element.style.width = `${length * pixelsPerMillimetre}px`;
    if (this.element.textContent !== text) {
      this.element.textContent = text;
      this.element.setAttribute('aria-label', this.say('scale', { length: text }));
    }
  }
}
