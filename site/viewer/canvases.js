// @ts-check
// The canvases that a page carries in its attributes, and the tiles that follow from them.

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
 * @property {string} label
 * @property {number} resolution pixels per millimetre; 0 where it is not known
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
  return {
    number: Number(item.id.replace('view-', '')),
    // The page may be open under another name of this host than the one it was written for.
    image: here(data.image ?? ''),
    id: data.canvas ?? '',
    width: Number(data.width),
    height: Number(data.height),
    tile: Number(data.tile),
    sizes: /** @type {Size[]} */ (JSON.parse(data.sizes ?? '[]')),
    label: data.label ?? '',
    resolution: Number(data.resolution ?? 0),
    alternative: picture?.alt ?? '',
    description: (described && document.getElementById(described)?.textContent?.trim()) || '',
  };
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
 * Return what info.json would say of an image, without a request for it.
 * @param {Canvas} canvas
 */
export function tileSource({ image, width, height, tile, sizes }) {
  const longest = Math.max(width, height);
  const factors = [1];
  while (longest / factors[factors.length - 1] > tile) {
    factors.push(factors[factors.length - 1] * 2);
  }
  return {
    '@context': 'http://iiif.io/api/image/3/context.json',
    id: image,
    type: 'ImageService3',
    protocol: 'http://iiif.io/api/image',
    profile: 'level2',
    width,
    height,
    sizes,
    tiles: [{ width: tile, height: tile, scaleFactors: factors }],
  };
}

/**
 * Return the address of a small picture of a canvas, of a size that is kept if there is one.
 * @param {Canvas} canvas
 * @param {number} pixels its height, at least
 */
export function thumbnail({ image, width, height, sizes }, pixels) {
  const kept = sizes.find((size) => size.height >= pixels) ?? sizes[sizes.length - 1];
  const shown = kept ?? { width: Math.max(1, Math.round((width * pixels) / height)), height: pixels };
  return `${image}/full/${shown.width},${shown.height}/0/default.jpg`;
}
