// @ts-check
// A stage: OpenSeadragon with one image on it, and what its view means in the image's own pixels.
import { tileSource } from './canvases.js';
import { forbidMarkup } from './library.js';

/** @typedef {import('./canvases.js').Canvas} Canvas */
/** @typedef {import('openseadragon').Viewer} OsdViewer */
/** @typedef {{ x: number, y: number, width: number, height: number }} Region */

const OVERVIEW_FROM = '(min-width: 48rem) and (min-height: 30rem)';
export const ZOOM_STEP = 1.6;

export const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Open OpenSeadragon in `element`, without an image.
 * @param {any} OpenSeadragon
 * @param {HTMLElement} element
 * @param {{ cooperative: boolean }} options
 * @returns {OsdViewer}
 */
export function openStage(OpenSeadragon, element, { cooperative }) {
  const viewer = new OpenSeadragon({
    element,
    drawer: 'canvas',
    // From 1.1 on, OpenSeadragon would draw on a second canvas and move it by a whole pixel or two,
    // which leaves the last lines at the right and bottom of the stage empty.
    smoothTileEdgesMinZoom: Infinity,
    showNavigationControl: false,
    showNavigator: matchMedia(OVERVIEW_FROM).matches,
    navigatorPosition: 'BOTTOM_RIGHT',
    navigatorSizeRatio: 0.16,
    navigatorBorderColor: 'transparent',
    navigatorDisplayRegionColor: '#e9c987',
    visibilityRatio: 0.7,
    minZoomImageRatio: 0.8,
    // A level serves until it is enlarged by a tenth; where the screen's pixels are small, by two fifths.
    minPixelRatio: devicePixelRatio < 1.5 ? 0.55 : Math.SQRT1_2,
    maxZoomPixelRatio: 3,
    animationTime: isCalm() ? 0 : 0.9,
    cooperativeGestures: cooperative,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
  });
  forbidMarkup(viewer);
  if (viewer.navigator) {
    // The same picture again, which only a pointer can use.
    const { element: overview } = viewer.navigator;
    overview.setAttribute('aria-hidden', 'true');
    const hideWhole = () => {
      overview.style.visibility = viewer.world.getItemCount() && magnification(viewer) > 1.01 ? 'visible' : 'hidden';
    };
    ['open', 'viewport-change', 'resize'].forEach((name) => viewer.addHandler(name, hideWhole));
    hideWhole();
  }
  return viewer;
}

/**
 * Put an image on the stage; resolve when it is open.
 * @param {OsdViewer} viewer
 * @param {Canvas} canvas
 * @param {Region | null} region pixels of the image; the whole image without one
 * @returns {Promise<void>}
 */
export function openImage(viewer, canvas, region = null) {
  return openImages(viewer, [canvas], { region });
}

/**
 * Put images on the stage next to each other, all of one height; resolve when they are open.
 * @param {OsdViewer} viewer
 * @param {Canvas[]} canvases from left to right
 * @param {{ region?: Region | null, place?: number }} detail pixels of the image at a place; all
 * of them without a region
 * @returns {Promise<void>}
 */
export function openImages(viewer, canvases, { region = null, place = 0 } = {}) {
  return new Promise((resolve) => {
    viewer.addOnceHandler('open', () => {
      if (region) {
        showRegion(viewer, region, place);
      }
      resolve();
    });
    const { clientWidth, clientHeight } = viewer.element;
    const widths = canvases.map(({ width, height }) => width / height);
    const whole = widths.reduce((sum, width) => sum + width, 0);
    const across = Math.max(1, Math.min(clientWidth, clientHeight * whole)) * devicePixelRatio;
    const images = canvases.map((canvas, number) => {
      const tileSource = readSource(canvas, Math.max(1, (across * widths[number]) / whole));
      const x = widths.slice(0, number).reduce((sum, width) => sum + width, 0);
      return canvases.length > 1 ? { tileSource, x, y: 0, height: 1 } : { tileSource };
    });
    viewer.open(/** @type {any} */ (images));
  });
}

/**
 * Return which image is in the middle of the stage; of two that meet there, the left one.
 * @param {OsdViewer} viewer
 */
export function middlePlace({ viewport, world }) {
  const { x } = viewport.getCenter(true);
  let found = 0;
  for (let place = 1; place < world.getItemCount(); place += 1) {
    if (world.getItemAt(place).getBounds().x < x - 1e-6) {
      found = place;
    }
  }
  return found;
}

/**
 * Return the image that is in the middle of the stage.
 * @param {OsdViewer} viewer
 */
export function middleImage(viewer) {
  return viewer.world.getItemAt(middlePlace(viewer));
}

/**
 * Return OpenSeadragon's source of tiles. Its lowest level is the page's own picture if that has
 * come, so that the first view needs nothing more from the network.
 * @param {Canvas} canvas
 * @param {number} pixels of the screen that the whole image takes in width
 */
function readSource(canvas, pixels) {
  const { IIIFTileSource } = /** @type {any} */ (window).OpenSeadragon;
  const information = tileSource(canvas, pixels);
  const source = new IIIFTileSource(IIIFTileSource.prototype.configure(information, canvas.image));
  if (canvas.isHidden) {
    source.tileExists = () => false;
  } else if (canvas.shown) {
    const { address } = canvas.shown;
    source.getTileUrl = (/** @type {number[]} */ ...place) =>
      place[0] === 0 ? address : IIIFTileSource.prototype.getTileUrl.apply(source, place);
  }
  return source;
}

/**
 * @param {OsdViewer} viewer
 * @param {Region} region pixels of the image
 * @param {number} place of the image
 */
export function showRegion(viewer, { x, y, width, height }, place = 0) {
  const image = viewer.world.getItemAt(place);
  viewer.viewport.fitBounds(image.imageToViewportRectangle(x, y, width, height), true);
}

/**
 * Return how many times the image is larger than as a whole in the stage.
 * @param {OsdViewer} viewer
 */
export function magnification({ viewport }) {
  return viewport.getZoom() / viewport.getHomeZoom();
}

/**
 * Return the part of the image that is on the stage, in whole pixels.
 * @param {OsdViewer} viewer
 * @returns {Region}
 */
export function visibleRegion(viewer) {
  const image = middleImage(viewer);
  const size = image.getContentSize();
  const bounds = viewer.viewport.getBounds().getBoundingBox();
  const { x, y, width, height } = image.viewportToImageRectangle(bounds);
  const left = Math.min(Math.max(0, Math.round(x)), size.x - 1);
  const top = Math.min(Math.max(0, Math.round(y)), size.y - 1);
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.min(size.x, Math.round(x + width)) - left),
    height: Math.max(1, Math.min(size.y, Math.round(y + height)) - top),
  };
}

/**
 * Return the rotation in degrees, from 0 to 360.
 * @param {OsdViewer} viewer
 */
export function turned({ viewport }) {
  return ((Math.round(viewport.getRotation()) % 360) + 360) % 360;
}

/**
 * Return the pixels of the screen, as CSS counts them, that a pixel of the image takes now.
 * @param {OsdViewer} viewer
 */
export function imageScale(viewer) {
  return middleImage(viewer).viewportToImageZoom(viewer.viewport.getZoom(true));
}
