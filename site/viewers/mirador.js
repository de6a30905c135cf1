// @ts-check
// An object of this site in Mirador.
import { requested } from './requested.js';

const LANGUAGES = ['en', 'de', 'fr'];

const asked = requested();
if (asked) {
  const language = navigator.language.split('-')[0];
  const { Mirador } = /** @type {any} */ (window);
  Mirador.viewer({
    id: 'viewer',
    language: LANGUAGES.includes(language) ? language : 'en',
    osdConfig: { crossOriginPolicy: 'Anonymous' },
    windows: [
      {
        manifestId: asked.manifest,
        ...(asked.canvas && { canvasId: asked.canvas }),
        // In an opening of a book, a page's coordinates would not be the window's.
        ...(asked.region && { view: 'single', initialViewerConfig: { bounds: asked.region } }),
      },
    ],
  });
}
