// @ts-check
// A second image next to the first, kept in step with it.
import { here } from './canvases.js';
import { make } from './elements.js';
import { openImage, openStage } from './stage.js';
import { keepInStep } from './step.js';

/** @typedef {import('./canvases.js').Canvas} Canvas */

export class ComparedImage {
  /**
   * @param {import('./image-viewer.js').ImageViewer} viewer
   * @param {Canvas} canvas
   */
  constructor(viewer, canvas) {
    this.viewer = viewer;
    this.canvas = canvas;
    this.element = make('div', { class: 'stage' });
    viewer.stages.classList.add('two');
    viewer.stages.append(this.element);
    this.osd = openStage(viewer.library, this.element, { cooperative: viewer.embedded });
    this.osd.canvas.setAttribute('role', 'application');
    this.osd.canvas.setAttribute('aria-label', viewer.say?.('canvas', { label: canvas.label }) ?? '');
    viewer.trouble?.watch(this.osd, () => canvas);
    /** @type {ReturnType<typeof keepInStep>} */
    this.step = { lead: () => {}, end: () => {} };
  }

  async open() {
    await openImage(this.osd, this.canvas);
    // Half the stage is the first one's now: only then do both have the same sizes.
    await new Promise((resolve) => requestAnimationFrame(resolve));
    this.step = keepInStep(this.viewer.osd, this.osd);
  }

  close() {
    this.step.end();
    this.osd.destroy();
    this.element.remove();
    this.viewer.stages.classList.remove('two');
  }
}

/** An object that cannot be compared; `reason` names the text that says why. */
export class NoImage extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/** The address of an object's page, of which its manifest's follows. */
const PAGE = /^\/objects\/([^/]+)/;

/**
 * Return the first canvas of an object of this site.
 * @param {string} named the address of its page, or of its manifest
 * @returns {Promise<Canvas>}
 */
export async function fetchCanvas(named) {
  const [, name] = (URL.canParse(named, location.href) && new URL(named, location.href).pathname.match(PAGE)) || [];
  const isHere = name && new URL(named, location.href).origin === location.origin;
  const address = isHere ? `${location.origin}/presentation/3/${name}/manifest.json` : named;
  if (!URL.canParse(address, location.href) || here(address) !== new URL(address, location.href).href) {
    throw new NoImage('manifestElsewhere');
  }
  const manifest = await fetchDocument(address);
  const body = manifest?.items?.[0]?.items?.[0]?.items?.[0]?.body;
  const service = body?.service?.find((/** @type {any} */ one) => one.type === 'ImageService3');
  if (!service) {
    throw new NoImage('manifestUnknown');
  }
  const image = here(service.id ?? service['@id']);
  const info = await fetchDocument(`${image}/info.json`);
  const label = Object.values(manifest.label ?? {})[0] ?? [];
  return {
    number: 0,
    image,
    id: manifest.items[0].id,
    width: info.width,
    height: info.height,
    tile: info.tiles[0].width,
    sizes: info.sizes ?? [],
    label: String(label[0] ?? ''),
    alone: '',
    resolution: 0,
    right: '',
    isHidden: false,
    hasText: false,
    isLetIn: false,
    scale: 1,
    alternative: '',
    description: '',
  };
}

/** @param {string} address */
async function fetchDocument(address) {
  const answer = await fetch(address).catch(() => null);
  if (!answer?.ok) {
    throw new NoImage('manifestMissing');
  }
  return answer.json().catch(() => {
    throw new NoImage('manifestUnknown');
  });
}
