// @ts-check
// An object of this site in Universal Viewer.
import { requested } from './requested.js';

const LOCALES = ['en-GB', 'fr-FR'];

const asked = requested();
if (asked) {
  const language = navigator.language.split('-')[0];
  const { UV } = /** @type {any} */ (window);
  UV.init('viewer', {
    manifest: asked.manifest,
    iiifManifestId: asked.manifest,
    locales: [{ name: LOCALES.find((one) => one.startsWith(language)) ?? 'en-GB' }],
    ...(asked.canvas && { canvasId: asked.canvas }),
    ...(asked.region && { xywh: asked.region.join(',') }),
  });
}
