// @ts-check
// Elements, made without HTML from text.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Make an element with attributes and content.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} content
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, attributes = {}, ...content) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
}

/** Paths on a square of 24 by 24. @type {Record<string, string>} */
const PATHS = {
  zoomIn: 'M5 12h14M12 5v14',
  zoomOut: 'M5 12h14',
  whole: 'M4.5 9V4.5H9M15 4.5h4.5V9M19.5 15v4.5H15M9 19.5H4.5V15',
  turnLeft: 'M5 5v5h5M5.5 10A7.5 7.5 0 1 1 5 14.5',
  turnRight: 'M19 5v5h-5M18.5 10A7.5 7.5 0 1 0 19 14.5',
  flip: 'M12 3v18M9 7v10H3.500zM15 7v10h5.500z',
  adjust: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  compare: 'M3.5 5h7v14h-7zM13.5 5h7v14h-7z',
  share: 'M12 15V4M8 7.5 12 4l4 3.500M5 12v8h14v-8',
  full: 'M14 4h6v6M20 4l-6.5 6.500M10 20H4v-6M4 20l6.5-6.5',
  help: 'M9 9.500a3 3 0 1 1 4.5 2.600c-1 .6-1.5 1.200-1.5 2.400M12 18v.1',
  close: 'M6 6l12 12M18 6 6 18',
  previous: 'M14.5 5 7.5 12l7 7',
  next: 'M9.5 5l7 7-7 7',
  text: 'M5 6h14M5 10h14M5 14h9M16 18a2.500 2.500 0 1 0 0-.1M18 20l2 2',
  pairs: 'M12 6.5C9.500 5 6.500 4.800 3.500 5.500v13c3-.7 6-.5 8.500 1 2.500-1.500 5.500-1.700 8.500-1v-13c-3-.7-6-.5-8.500 1zM12 6.500v13',
};

/** @param {string} name */
export function icon(name) {
  const picture = document.createElementNS(SVG, 'svg');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', PATHS[name]);
  picture.append(path);
  return picture;
}

/**
 * Make a button that shows an icon and is called `name`.
 * @param {string} sign
 * @param {string} name
 * @param {() => void} act
 */
export function iconButton(sign, name, act) {
  const button = make('button', { type: 'button', class: 'tool', title: name, 'aria-label': name });
  button.append(icon(sign));
  button.addEventListener('click', act);
  return button;
}

/**
 * Make a modal dialog with a heading and a button that closes it; it goes when it is closed.
 * @param {HTMLElement} figure
 * @param {string} title
 * @param {string} close
 * @param {...(Node | string)} content
 */
export function openDialog(figure, title, close, ...content) {
  const heading = make('h2', { id: 'viewer-dialog-title' }, title);
  const dialog = make('dialog', { class: 'viewer-dialog', 'aria-labelledby': heading.id });
  const button = iconButton('close', close, () => dialog.close());
  dialog.append(make('header', {}, heading, button), ...content);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  figure.append(dialog); // inside, so that it is seen in full screen too
  dialog.showModal();
  return dialog;
}
