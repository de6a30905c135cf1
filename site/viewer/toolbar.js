// @ts-check
// The row of buttons below the stage: one stop of the Tab key, arrows within (ARIA's toolbar).
import { iconButton, make } from './elements.js';

/** @typedef {import('./image-viewer.js').ImageViewer} ImageViewer */

/**
 * Write the toolbar into the place that the page keeps for it.
 * @param {ImageViewer} viewer
 * @param {import('./words.js').Say} say
 * @param {{ help: () => void, share: () => void, compare: () => void, adjust: () => boolean, text: () => void }} panels
 */
export function addToolbar(viewer, say, panels) {
  const bar = make('div', { class: 'tools', role: 'toolbar', 'aria-label': say('tools') });
  const adjust = iconButton('adjust', say('adjust'), () =>
    adjust.setAttribute('aria-expanded', String(panels.adjust())),
  );
  adjust.setAttribute('aria-expanded', 'false');
  const compare = iconButton('compare', say('compare'), panels.compare);
  bar.append(
    iconButton('zoomOut', say('zoomOut'), () => viewer.zoomOut()),
    iconButton('zoomIn', say('zoomIn'), () => viewer.zoomIn()),
    iconButton('whole', say('whole'), () => viewer.whole()),
    iconButton('turnLeft', say('turnLeft'), () => viewer.turn(-90)),
    iconButton('turnRight', say('turnRight'), () => viewer.turn(90)),
    iconButton('flip', say('flip'), () => viewer.flip()),
    adjust,
    compare,
    iconButton('share', say('share'), panels.share),
  );
  if (viewer.figure.dataset.search) {
    bar.append(textButton(viewer, say, panels.text));
  }
  if (viewer.isBook) {
    bar.append(pairsButton(viewer, say));
  }
  viewer.addEventListener('compare', () => {
    const name = say(viewer.compared ? 'compareEnd' : 'compare');
    compare.setAttribute('aria-label', name);
    compare.title = name;
    compare.classList.toggle('on', viewer.compared !== null);
  });
  if (document.fullscreenEnabled) {
    bar.append(fullButton(viewer, say));
  }
  bar.append(iconButton('help', say('help'), panels.help));
  rove(bar);
  viewer.figure.append(bar);
  return { bar, adjust };
}

/**
 * @param {ImageViewer} viewer
 * @param {import('./words.js').Say} say
 * @param {() => void} act
 */
function textButton(viewer, say, act) {
  const button = iconButton('text', say('text'), act);
  const mark = () => button.setAttribute('aria-expanded', String(viewer.figure.classList.contains('reading')));
  viewer.addEventListener('reading', mark);
  mark();
  return button;
}

/**
 * @param {ImageViewer} viewer
 * @param {import('./words.js').Say} say
 */
function pairsButton(viewer, say) {
  const button = iconButton('pairs', say('pairs'), () => viewer.togglePairs());
  const mark = () => {
    button.setAttribute('aria-pressed', String(viewer.inPairs));
    button.classList.toggle('on', viewer.inPairs);
  };
  viewer.addEventListener('page', mark);
  mark();
  return button;
}

/**
 * @param {ImageViewer} viewer
 * @param {import('./words.js').Say} say
 */
function fullButton(viewer, say) {
  const button = iconButton('full', say('full'), () => viewer.toggleFull());
  document.addEventListener('fullscreenchange', () => {
    const name = say(document.fullscreenElement ? 'fullEnd' : 'full');
    button.setAttribute('aria-label', name);
    button.title = name;
    if (viewer.embedded) {
      // Nothing scrolls behind a full screen.
      viewer.osds.forEach((osd) => /** @type {any} */ (osd).setCooperativeGestures(!document.fullscreenElement));
    }
  });
  return button;
}

/**
 * Let arrows, Home and End move between the buttons of a bar, of which Tab finds one.
 * @param {HTMLElement} bar
 */
export function rove(bar) {
  const buttons = () => /** @type {HTMLElement[]} */ ([...bar.querySelectorAll('button')]);
  const choose = (/** @type {HTMLElement} */ chosen) =>
    buttons().forEach((button) => (button.tabIndex = button === chosen ? 0 : -1));
  choose(buttons()[0]);
  bar.addEventListener('focusin', (event) => choose(/** @type {HTMLElement} */ (event.target)));
  bar.addEventListener('keydown', (event) => {
    const all = buttons();
    const now = all.indexOf(/** @type {HTMLElement} */ (event.target));
    const mirrored = getComputedStyle(bar).direction === 'rtl' ? -1 : 1;
    /** @type {Record<string, number>} */
    const targets = {
      ArrowLeft: now - mirrored,
      ArrowRight: now + mirrored,
      Home: 0,
      End: all.length - 1,
    };
    if (event.key in targets && now >= 0) {
      event.preventDefault();
      all[(targets[event.key] + all.length) % all.length].focus();
    }
  });
}
