// @ts-check
// The keys. They work while an image has the focus, so that they disturb nobody who types
// elsewhere (WCAG 2.1.4).
import { make, openDialog } from './elements.js';

/** @typedef {import('./image-viewer.js').ImageViewer} ImageViewer */
/** @typedef {{ help: () => void, share: () => void, compare: () => void, adjust: () => void, text: () => void }} Panels */

const ARROWS = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'];

/**
 * Return what each key does.
 * @param {ImageViewer} viewer
 * @param {Panels} panels
 * @returns {Record<string, () => void>}
 */
function actions(viewer, panels) {
  return {
    '+': () => viewer.zoomIn(),
    '=': () => viewer.zoomIn(),
    '-': () => viewer.zoomOut(),
    _: () => viewer.zoomOut(),
    0: () => viewer.whole(),
    r: () => viewer.turn(90),
    R: () => viewer.turn(-90),
    m: () => viewer.flip(),
    f: () => viewer.toggleFull(),
    b: panels.adjust,
    c: panels.compare,
    s: panels.share,
    i: () => viewer.sayWhere(),
    t: () => viewer.figure.dataset.search && panels.text(),
    '?': panels.help,
    PageUp: () => viewer.turnPage(-1),
    PageDown: () => viewer.turnPage(1),
    d: () => viewer.isBook && viewer.togglePairs(),
    Home: () => viewer.show(0),
    End: () => viewer.show(viewer.canvases.length - 1),
  };
}

/**
 * Make the keys work on a stage.
 * @param {ImageViewer} viewer
 * @param {import('openseadragon').Viewer} osd
 * @param {Panels} panels
 */
export function listenToKeys(viewer, osd, panels) {
  const known = actions(viewer, panels);
  osd.addHandler('canvas-key', (event) => {
    const original = /** @type {KeyboardEvent} */ (/** @type {any} */ (event).originalEvent);
    const { key, ctrlKey, metaKey, altKey } = original;
    // OpenSeadragon's own keys are but the arrows: its letters mean others here.
    event.preventDefaultAction = !ARROWS.includes(key);
    if (key in known && !ctrlKey && !metaKey && !altKey) {
      original.preventDefault();
      known[key]();
    }
  });
}

/** Keys by the text that says what they do. @type {[string, string[], boolean][]} */
const KEYS = [
  ['keyZoom', ['+', '−'], false],
  ['keyWhole', ['0'], false],
  ['keyTurn', ['R', '⇧ R'], false],
  ['keyFlip', ['M'], false],
  ['keyFull', ['F'], false],
  ['keyAdjust', ['B'], false],
  ['keyCompare', ['C'], false],
  ['keyShare', ['S'], false],
  ['keyWhere', ['I'], false],
  ['keyPages', ['Page ↑', 'Page ↓'], true],
  ['keyEnds', ['Home', 'End'], true],
  ['keyHelp', ['?'], false],
];

/**
 * Show the keys in a dialog.
 * @param {ImageViewer} viewer
 * @param {import('./words.js').Say} say
 */
export function openHelp(viewer, say) {
  const rows = KEYS.filter(([, , ofBooks]) => !ofBooks || viewer.canvases.length > 1);
  if (viewer.figure.dataset.search) {
    rows.splice(-1, 0, ['keyText', ['T'], false]);
  }
  if (viewer.isBook) {
    rows.splice(-1, 0, ['keyPairs', ['D'], true]);
  }
  const list = make('dl', { class: 'keys' });
  list.append(row(say('keyMove'), [say('arrows')]));
  rows.forEach(([name, keys]) => list.append(row(say(name), keys)));
  const introduction = make('p', {}, say('keysIntroduction'));
  return openDialog(viewer.figure, say('keysTitle'), say('close'), introduction, list);
}

/**
 * @param {string} meaning
 * @param {string[]} keys
 */
function row(meaning, keys) {
  const all = make('dt');
  keys.forEach((key) => all.append(make('kbd', {}, key), ' '));
  return make('div', {}, all, make('dd', {}, meaning));
}
