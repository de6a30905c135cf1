// @ts-check
// The canvases that a page carries in its attributes, and the tiles that follow from them.

const HIDDEN = '/viewer/restricted.svg';

/** @typedef {{ width: number, height: number }} Size */
/**
 * @typedef {object} Canvas
 * @property {number} number what the page calls it, from 1
 * @property {string} image address of the image service, IIIF 3
 * @property {string} id the canvas's own address; empty where the page does not say it
 * @property {number} width
 * @property {number} height
 * @property {number} tile pixels
 * @property {Size[]} sizes what is kept of the image, smallest first
 * @property {(Size & { address: string }) | null} [shown] which of them the page shows already
 * @property {string} label
 * @property {string} alone `non-paged` or `facing-pages` if no other page lies next to it
 * @property {number} resolution pixels per millimetre; 0 where it is not known
 * @property {string} right with which somebody sees all of the image; empty: everybody does
 * @property {boolean} isHidden nobody sees anything of it without that right
 * @property {boolean} hasText its text can be read
 * @property {boolean} isLetIn this visitor has it
 * @property {number} scale pixels of the image per unit of the canvas
 * @property {string} alternative what is seen, in a few words
 * @property {string} description
 */

/**
 * Read an item of `<ol class="canvases">`.
 * @param {HTMLElement} item
 * @returns {Canvas}
 */
function readCanvas(item) {
  const data = item.dataset;
  const picture = item.querySelector('img');
  const described = picture?.getAttribute('aria-describedby') ?? '';
  /** @type {Size[]} */
  const sizes = JSON.parse(data.sizes ?? '[]');
  return {
    number: Number(item.id.replace('view-', '')),
    // The page may be open under another name of this host than the one it was written for.
    image: here(data.image ?? ''),
    id: data.canvas ?? '',
    width: Number(data.width),
    height: Number(data.height),
    tile: Number(data.tile),
    sizes,
    shown: shownSize(picture, sizes),
    label: data.label ?? '',
    alone: data.alone ?? '',
    resolution: Number(data.resolution ?? 0),
    right: data.right ?? '',
    isHidden: 'hidden' in data,
    hasText: 'text' in data,
    isLetIn: false,
    scale: 1,
    alternative: picture?.alt ?? '',
    description: (described && document.getElementById(described)?.textContent?.trim()) || '',
  };
}

/**
 * Return the size in which a picture has come, and its address; null before it has.
 * @param {HTMLImageElement | null} picture
 * @param {Size[]} sizes
 */
function shownSize(picture, sizes) {
  const address = picture?.complete ? picture.currentSrc : '';
  const [, across] = address.match(/\/full\/(max|\d+)/) ?? [];
  const size = across === 'max' ? sizes[sizes.length - 1] : sizes.find(({ width }) => width === Number(across));
  return size ? { ...size, address } : null;
}

/**
 * Return an address with this page's own origin.
 * @param {string} address
 */
export function here(address) {
  const { pathname } = new URL(address, location.href);
  return location.origin + pathname;
}

/**
 * Return the canvases of a figure whose images are ours, in order.
 * @param {HTMLElement} figure
 */
export function readCanvases(figure) {
  const items = /** @type {NodeListOf<HTMLElement>} */ (figure.querySelectorAll('li.canvas'));
  return [...items].filter((item) => item.dataset.image).map(readCanvas);
}

/**
 * Return what info.json would say of an image, without a request for it, except that its lowest
 * level is the image as a whole, in one piece, about as large as the screen shows it.
 * @param {Canvas} canvas
 * @param {number} pixels of the screen that the whole image takes in width
 */
export function tileSource(canvas, pixels) {
  const { image, width, height, tile, sizes } = canvas;
  const whole = canvas.shown ?? nearestSize(sizes, pixels);
  const last = whole ? Math.round(width / whole.width) : Math.max(width, height) / tile;
  const factors = [1];
  while (factors[factors.length - 1] < last) {
    factors.push(factors[factors.length - 1] * 2);
  }
  const tiles = [{ width: tile, height: tile, scaleFactors: factors }];
  if (whole) {
    // One pixel more than the level has: OpenSeadragon then asks for the whole of it by its name.
    const piece = { width: whole.width + 1, height: whole.height + 1, scaleFactors: factors.splice(-1) };
    tiles.splice(factors.length ? 1 : 0, 1, piece);
  }
  return {
    '@context': 'http://iiif.io/api/image/3/context.json',
    id: image,
    type: 'ImageService3',
    protocol: 'http://iiif.io/api/image',
    profile: 'level2',
    width,
    height,
    sizes: whole ? sizes.filter((size) => size.width >= whole.width) : sizes,
    tiles,
  };
}

/**
 * Return the size whose width differs least from `pixels`, by factor, as browsers choose.
 * @param {Size[]} sizes
 * @param {number} pixels
 * @returns {Size | undefined}
 */
function nearestSize(sizes, pixels) {
  const differs = (/** @type {Size} */ size) => Math.abs(Math.log(size.width / pixels));
  return [...sizes].sort((one, other) => differs(one) - differs(other))[0];
}

/**
 * Return the address of a small picture of a canvas, of a size that is kept if there is one.
 * @param {Canvas} canvas
 * @param {number} pixels its height, at least
 */
export function thumbnail({ image, width, height, sizes, isHidden }, pixels) {
  if (isHidden) {
    return HIDDEN;
  }
  const kept = sizes.find((size) => size.height >= pixels) ?? sizes[sizes.length - 1];
  const shown = kept ?? { width: Math.max(1, Math.round((width * pixels) / height)), height: pixels };
  return `${image}/full/${shown.width},${shown.height}/0/default.jpg`;
}
