// @ts-check
// The dialog in which the second image is chosen.
import { NoImage, fetchCanvas } from './compare.js';
import { make, openDialog } from './elements.js';

/**
 * Ask what to compare with, then compare; end the comparison if there is one.
 * @param {import('./image-viewer.js').ImageViewer} viewer
 * @param {import('./words.js').Say} say
 */
export function openCompare(viewer, say) {
  if (viewer.compared) {
    viewer.endComparison();
    return;
  }
  const select = make('select');
  viewer.canvases.forEach((canvas, page) => {
    const name = say('page', { number: page + 1, count: viewer.canvases.length, label: canvas.label });
    const option = make('option', { value: String(page) }, name);
    option.selected = page === Math.min(viewer.page + 1, viewer.canvases.length - 1);
    select.append(option);
  });
  const address = make('input', { type: 'text', maxlength: '2048', autocomplete: 'off', spellcheck: 'false' });
  const objects = make('ul', { class: 'objects' });
  const suggest = () => import(/** @type {any} */ ('/viewer/objects.js'));
  address.addEventListener('input', async () => (await suggest()).suggestObjects(address, objects), { once: true });
  const problem = make('p', { role: 'alert', class: 'problem' });
  const start = make('button', { type: 'submit', class: 'plain' }, say('compareStart'));
  const form = make(
    'form',
    { method: 'dialog', class: 'chooser' },
    make('label', {}, make('span', {}, say('compareWith')), select),
    make('label', {}, make('span', {}, say('compareOther')), address),
    objects,
    problem,
    start,
  );
  const dialog = openDialog(viewer.figure, say('compare'), say('close'), form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const other = address.value.trim();
      const canvas = other ? await fetchCanvas(other) : viewer.canvases[Number(select.value)];
      dialog.close();
      await viewer.compare(canvas);
    } catch (error) {
      if (!(error instanceof NoImage)) {
        throw error;
      }
      problem.textContent = say('badManifest', { reason: say(error.reason) });
    }
  });
}
