// @ts-check
// What is on the screen, to take along: links, citation, other viewers.
import { PARAMETER, writeState } from './content-state.js';
import { here } from './canvases.js';
import { writeDetail } from './detail-address.js';
import { make, openDialog } from './elements.js';
import { magnification, turned, visibleRegion } from './stage.js';

/** @typedef {import('./image-viewer.js').ImageViewer} ImageViewer */
/** @typedef {import('./words.js').Say} Say */

/** @param {ImageViewer} viewer */
const shownRegion = (viewer) => (magnification(viewer.osd) > 1.01 ? visibleRegion(viewer.osd) : null);

/**
 * Return the same as the manifest counts: an image that most see small has more pixels for some.
 * @param {ImageViewer} viewer
 */
function shownPart(viewer) {
  const region = shownRegion(viewer);
  const { scale } = viewer.canvas;
  if (!region || scale === 1) {
    return region;
  }
  const [x, y, width, height] = [region.x, region.y, region.width, region.height].map((one) => Math.round(one / scale));
  return { x, y, width: Math.max(1, width), height: Math.max(1, height) };
}

/** @param {ImageViewer} viewer */
const manifestOf = (viewer) => viewer.figure.dataset.manifest ?? '';

/**
 * Return the address of this page that opens at what is on the screen.
 * @param {ImageViewer} viewer
 */
export function detailLink(viewer) {
  const canvas = viewer.shown.includes(0) && !shownRegion(viewer) ? viewer.canvases[0] : viewer.canvas;
  return location.origin + location.pathname + writeDetail(canvas, viewer.canvases, shownPart(viewer));
}

/**
 * Return the address of an image of what is on the screen, as large as it is there.
 * @param {ImageViewer} viewer
 */
export function imageLink(viewer) {
  const { canvas, osd } = viewer;
  const region = shownRegion(viewer);
  const wide = region?.width ?? canvas.width;
  const high = region?.height ?? canvas.height;
  const { x, y } = osd.viewport.getContainerSize();
  const limit = turned(osd) % 180 ? { x: y, y: x } : { x, y };
  const scale = Math.min(1, (devicePixelRatio * limit.x) / wide, (devicePixelRatio * limit.y) / high);
  const width = Math.max(1, Math.round(wide * scale));
  const size = scale === 1 ? 'max' : `${width},`;
  const part = region ? `${region.x},${region.y},${region.width},${region.height}` : 'full';
  const degrees = (osd.viewport.getFlip() ? '!' : '') + turned(osd);
  return `${canvas.image}/${part}/${size}/${degrees}/default.jpg`;
}

/**
 * @param {ImageViewer} viewer
 * @param {Say} say
 */
function citation(viewer, say) {
  const cited = /** @type {HTMLElement | null} */ (document.querySelector('[data-citation]'))?.dataset.citation;
  const title = cited || document.querySelector('h1')?.textContent?.trim() || document.title;
  const { label } = viewer.canvas;
  const dates = new Intl.DateTimeFormat(document.documentElement.lang || 'en', { dateStyle: 'long' });
  const parts = viewer.canvases.length > 1 && label && label !== title ? [title, label] : [title];
  return `${parts.join(', ')}. ${detailLink(viewer)} (${say('accessed', { date: dates.format(new Date()) })}).`;
}

/** Viewers of others that this site serves: what they are called, by the name of their page. */
const OTHERS = { mirador: 'Mirador', universalviewer: 'Universal Viewer' };

/**
 * Return the address at which another viewer opens what is on the screen.
 * @param {ImageViewer} viewer
 * @param {string} name
 */
function otherViewer(viewer, name) {
  const state = writeState(manifestOf(viewer), viewer.canvas.id, shownPart(viewer));
  return `/viewers/${name}.html?${PARAMETER}=${state}`;
}

/**
 * Let the page's own links to other viewers lead to what is on the screen.
 * @param {ImageViewer} viewer
 */
export function followWithLinks(viewer) {
  for (const link of document.querySelectorAll('a[data-opens-in]')) {
    const { opensIn = '' } = /** @type {HTMLElement} */ (link).dataset;
    const update = () => link.setAttribute('href', otherViewer(viewer, opensIn));
    ['focus', 'pointerenter', 'pointerdown'].forEach((name) => link.addEventListener(name, update));
  }
}

/**
 * Show all that can be copied, in a dialog.
 * @param {ImageViewer} viewer
 * @param {Say} say
 */
export function openShare(viewer, say) {
  const manifest = here(manifestOf(viewer));
  const rows = [
    copyRow(viewer, say, 'shareDetail', detailLink(viewer)),
    copyRow(viewer, say, 'shareImage', imageLink(viewer)),
    copyRow(viewer, say, 'shareCitation', citation(viewer, say)),
    copyRow(viewer, say, 'shareManifest', manifest),
  ];
  const target = encodeURIComponent(manifest);
  const canvas = encodeURIComponent(viewer.canvas.id);
  const elsewhere = make(
    'p',
    { class: 'elsewhere' },
    // What IIIF viewers read of a link that is dropped on them.
    make('a', { href: `${manifest}?manifest=${target}&canvas=${canvas}`, draggable: 'true', class: 'drag' }, say('drag')),
  );
  const others = Object.entries(OTHERS).map(([name, title]) =>
    make('li', {}, make('a', { href: otherViewer(viewer, name), target: '_blank' }, say('openElsewhere', { name: title }))),
  );
  const list = make('ul', { class: 'others' }, ...others);
  return openDialog(viewer.figure, say('share'), say('close'), ...rows, elsewhere, list);
}

/**
 * @param {ImageViewer} viewer
 * @param {Say} say
 * @param {string} name
 * @param {string} text
 */
function copyRow(viewer, say, name, text) {
  const field = make('input', { type: 'text', readonly: '', value: text, 'aria-label': say(name), 'data-name': name });
  return make('div', { class: 'copied' }, make('span', {}, say(name)), field, copyButton(viewer, say, name, field));
}

/**
 * @param {ImageViewer} viewer
 * @param {Say} say
 * @param {string} name
 * @param {HTMLElement} element
 */
function copyButton(viewer, say, name, element) {
  const button = make('button', { type: 'button', class: 'plain', 'aria-label': say('copyOf', { name: say(name) }) });
  button.append(say('copy'));
  button.addEventListener('click', async () => {
    const done = await copy(element);
    viewer.speech?.say(say(done ? 'spokenCopied' : 'spokenNotCopied'));
    button.textContent = say(done ? 'spokenCopied' : 'copy');
  });
  return button;
}

/**
 * Give the page's own citation a button that copies it.
 * @param {ImageViewer} viewer
 * @param {Say} say
 */
export function addCopyButton(viewer, say) {
  const text = /** @type {HTMLElement | null} */ (document.querySelector('[data-copies]'));
  if (text) {
    text.nextElementSibling?.prepend(copyButton(viewer, say, 'shareCitation', text));
  }
}

/**
 * Copy a text. Clipboards exist only on https and on this machine; elsewhere an old way works.
 * @param {HTMLElement} element
 */
async function copy(element) {
  if (element instanceof HTMLInputElement) {
    element.select();
  } else {
    getSelection()?.selectAllChildren(element);
  }
  try {
    await navigator.clipboard.writeText(element instanceof HTMLInputElement ? element.value : (element.textContent ?? ''));
    return true;
  } catch {
    return document.execCommand('copy');
  }
}
