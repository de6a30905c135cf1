// @ts-check
// The pages of a book: a strip of small pictures, in the direction in which it is read.
import { thumbnail } from './canvases.js';
import { iconButton, make } from './elements.js';
import { isCalm } from './stage.js';

const HEIGHT = 80; // pixels of a small picture

/**
 * Write the strip into the place that the page keeps for it.
 * @param {import('./image-viewer.js').ImageViewer} viewer
 * @param {import('./words.js').Say} say
 */
export function addPages(viewer, say) {
  const count = viewer.canvases.length;
  const strip = make('ol', { class: 'strip' });
  const buttons = viewer.canvases.map((canvas, page) => {
    const picture = make('img', { alt: '', loading: 'lazy', decoding: 'async', src: thumbnail(canvas, HEIGHT) });
    picture.height = HEIGHT;
    picture.width = Math.max(1, Math.round((HEIGHT * canvas.width) / canvas.height));
    const name = say('page', { number: page + 1, count, label: canvas.label });
    const button = make('button', { type: 'button', title: canvas.label, 'aria-label': name }, picture);
    button.addEventListener('click', () => viewer.show(page));
    strip.append(make('li', {}, button));
    return button;
  });
  const previous = iconButton('previous', say('previous'), () => viewer.turnPage(-1));
  const next = iconButton('next', say('next'), () => viewer.turnPage(1));
  const pages = make('nav', { class: 'pages', 'aria-label': say('pages') }, previous, strip, next);
  pages.dir = viewer.figure.dataset.direction === 'right-to-left' ? 'rtl' : 'ltr';
  const mark = () => {
    buttons.forEach((button, page) => {
      if (viewer.shown.includes(page)) {
        button.setAttribute('aria-current', 'true');
      } else {
        button.removeAttribute('aria-current');
      }
    });
    previous.setAttribute('aria-disabled', String(viewer.shown.includes(0)));
    next.setAttribute('aria-disabled', String(viewer.shown.includes(count - 1)));
    centre(strip, buttons[viewer.page]);
  };
  viewer.addEventListener('let-in', () => {
    buttons.forEach((button, page) => {
      const picture = /** @type {HTMLImageElement} */ (button.firstChild);
      picture.src = thumbnail(viewer.canvases[page], HEIGHT);
    });
  });
  viewer.addEventListener('page', mark);
  viewer.figure.append(pages);
  mark();
}

/**
 * Scroll a strip, and nothing else, until an item of it is in its middle.
 * @param {HTMLElement} strip
 * @param {HTMLElement} item
 */
function centre(strip, item) {
  const [outer, inner] = [strip.getBoundingClientRect(), item.getBoundingClientRect()];
  const left = inner.left + inner.width / 2 - outer.left - outer.width / 2;
  strip.scrollBy({ left, behavior: isCalm() ? 'auto' : 'smooth' });
}
