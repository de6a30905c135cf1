// @ts-check
// An object of this site in Universal Viewer.
import { requested } from './requested.js';

const LOCALES = ['en-GB', 'fr-FR'];

/**
 * Return the address of the canvas at which a manifest says that it begins: Universal Viewer does
 * not heed that.
 * @param {string} manifest
 * @returns {Promise<string | undefined>}
 */
async function readStart(manifest) {
  try {
    const { start, sequences } = await (await fetch(manifest)).json();
    return start?.id ?? sequences?.[0]?.startCanvas;
  } catch {
    return undefined; // the viewer says why
  }
}

const asked = requested();
if (asked) {
  const canvas = asked.canvas || (await readStart(asked.manifest));
  const language = navigator.language.split('-')[0];
  const { UV } = /** @type {any} */ (window);
  UV.init('viewer', {
    manifest: asked.manifest,
    iiifManifestId: asked.manifest,
    locales: [{ name: LOCALES.find((one) => one.startsWith(language)) ?? 'en-GB' }],
    ...(canvas && { canvasId: canvas }),
    ...(asked.region && { xywh: asked.region.join(',') }),
  });
}
