// @ts-check
// What a link to a viewer of others asks for. Only manifests of this site are opened: with any,
// our address would show what others wrote.
import { PARAMETER, readTarget } from '../viewer/content-state.js';

const OURS = `${location.origin}/presentation/`;

/**
 * Return the manifest, canvas and region that the page's address names; `null`, and say so in the
 * page, if they are not of this site.
 * @returns {{ manifest: string, canvas: string, region: number[] | null } | null}
 */
export function requested() {
  const state = new URLSearchParams(location.search).get(PARAMETER) ?? '';
  try {
    const { manifest, canvas, xywh } = readTarget(state);
    if (new URL(manifest).href.startsWith(OURS)) {
      const region = xywh.replace('pixel:', '').split(',').map(Number);
      const isRegion = region.length === 4 && region.every((one) => one >= 0) && region[2] && region[3];
      return { manifest, canvas, region: isRegion ? region : null };
    }
  } catch {
    // Said below.
  }
  const trouble = /** @type {HTMLElement} */ (document.querySelector('.trouble'));
  trouble.hidden = false;
  return null;
}
