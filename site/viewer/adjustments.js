// @ts-check
// Brightness, contrast and saturation of what is on the stage.
import { make } from './elements.js';

const KINDS = ['brightness', 'contrast', 'saturation'];
/** @type {Record<string, string>} */
const FILTERS = { brightness: 'brightness', contrast: 'contrast', saturation: 'saturate' };

/**
 * Make the panel, hidden; return what shows and hides it, and says which.
 * @param {import('./image-viewer.js').ImageViewer} viewer
 * @param {import('./words.js').Say} say
 * @returns {() => boolean}
 */
export function addAdjustments(viewer, say) {
  const panel = make('div', { class: 'adjustments', role: 'group', 'aria-label': say('adjust') });
  panel.hidden = true;
  const sliders = KINDS.map((kind) => {
    const slider = make('input', { type: 'range', min: '0', max: '200', value: '100', step: '5' });
    slider.dataset.kind = kind;
    panel.append(make('label', {}, make('span', {}, say(kind)), slider));
    return slider;
  });
  const apply = () => {
    const changed = sliders.filter((slider) => slider.value !== '100');
    const filters = changed.map((slider) => `${FILTERS[slider.dataset.kind ?? '']}(${slider.value}%)`);
    viewer.adjust(filters.join(' '));
  };
  const reset = make('button', { type: 'button', class: 'plain' }, say('reset'));
  reset.addEventListener('click', () => {
    sliders.forEach((slider) => (slider.value = '100'));
    apply();
  });
  panel.append(reset);
  panel.addEventListener('input', apply);
  viewer.stages.append(panel);
  return () => {
    panel.hidden = !panel.hidden;
    if (!panel.hidden) {
      sliders[0].focus();
    }
    return !panel.hidden;
  };
}
