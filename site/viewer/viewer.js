// @ts-check
// The viewer of a page. Without it, the page's pictures stay as they are.
import { addAdjustments } from './adjustments.js';
import { readCanvases } from './canvases.js';
import { openCompare } from './compare-dialog.js';
import { BadState, PARAMETER, readState } from './content-state.js';
import { readDetail } from './detail-address.js';
import { make } from './elements.js';
import { ImageViewer } from './image-viewer.js';
import { listenToKeys, openHelp } from './keyboard.js';
import { loadOpenSeadragon } from './library.js';
import { addPages } from './pages.js';
import { addCopyButton, followWithLinks, openShare } from './share.js';
import { showRegion } from './stage.js';
import { addToolbar } from './toolbar.js';
import { loadWords } from './words.js';

/**
 * Return what the page's address asks for, and what is wrong with it.
 * @param {HTMLElement} figure
 * @param {import('./canvases.js').Canvas[]} canvases
 */
function requestedView(figure, canvases) {
  const state = new URLSearchParams(location.search).get(PARAMETER);
  try {
    const found = state ? readState(state, figure.dataset.manifest ?? '', canvases) : readDetail(location.hash, canvases);
    return { page: Math.max(0, found.page), region: found.region, fault: '' };
  } catch (error) {
    if (error instanceof BadState) {
      return { page: 0, region: null, fault: error.reason };
    }
    throw error;
  }
}

/**
 * Add all that has words.
 * @param {ImageViewer} viewer
 * @param {import('./words.js').Say} say
 */
function furnish(viewer, say) {
  viewer.useWords(say);
  followWithLinks(viewer);
  addCopyButton(viewer, say);
  const adjust = addAdjustments(viewer, say);
  const panels = {
    help: () => void openHelp(viewer, say),
    share: () => void openShare(viewer, say),
    compare: () => openCompare(viewer, say),
    adjust,
  };
  /** @type {Promise<import('./texts.js').TextPanel> | null} */
  let texts = null;
  const text = async () => {
    texts ??= import(/** @type {any} */ ('/viewer/texts.js')).then(({ TextPanel }) => new TextPanel(viewer, say));
    (await texts).toggle();
  };
  const { adjust: button } = addToolbar(viewer, say, { ...panels, text });
  const byKey = { ...panels, adjust: () => button.click(), text };
  listenToKeys(viewer, viewer.osd, byKey);
  viewer.addEventListener('compare', () => viewer.compared && listenToKeys(viewer, viewer.compared.osd, byKey));
  viewer.figure.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLInputElement && ['text', 'search'].includes(event.target.type);
    if (event.key === '?' && !event.defaultPrevented && !typing && !viewer.figure.querySelector('dialog')) {
      panels.help();
    }
  });
  if (viewer.canvases.length > 1) {
    addPages(viewer, say);
  }
  window.addEventListener('hashchange', () => followAddress(viewer, say));
}

/**
 * Show what the page's address names now.
 * @param {ImageViewer} viewer
 * @param {import('./words.js').Say} say
 */
async function followAddress(viewer, say) {
  try {
    const { page, region } = readDetail(location.hash, viewer.canvases);
    await viewer.show(page);
    if (region) {
      showRegion(viewer.osd, region, viewer.shown.indexOf(page));
    }
    viewer.figure.scrollIntoView();
  } catch (error) {
    if (!(error instanceof BadState)) {
      throw error;
    }
    viewer.trouble?.show(say('badState', { reason: say(error.reason) }));
  }
}

/**
 * Make a viewer of a figure.
 * @param {HTMLElement} figure
 */
async function start(figure) {
  const canvases = readCanvases(figure);
  if (canvases.length === 0) {
    return;
  }
  const saying = loadWords();
  try {
    const view = requestedView(figure, canvases);
    const viewer = new ImageViewer(await loadOpenSeadragon(), figure, canvases);
    const opening = viewer.open(view.page, view.region);
    const say = await saying;
    furnish(viewer, say);
    if (view.fault) {
      viewer.trouble?.show(say('badState', { reason: say(view.fault) }));
    }
    await opening;
    figure.classList.add('ready');
    viewer.wayIn?.ask();
  } catch (error) {
    figure.classList.add('plain-pictures');
    const say = await saying.catch(() => null);
    if (say) {
      figure.append(make('p', { class: 'trouble', role: 'alert' }, say('notLoaded')));
    }
    throw error;
  }
}

for (const figure of document.querySelectorAll('figure[data-viewer]')) {
  start(/** @type {HTMLElement} */ (figure));
}
