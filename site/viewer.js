// One image, closely: OpenSeadragon in a dialogue, fetched when first needed.
import { copyOnClick, informationAddress } from '/addresses.js';

const VIEWER_SCRIPT = '/openseadragon/openseadragon.min.js';
const ZOOM_STEP = 1.6;
const NAVIGATOR_FROM = '(min-width: 48rem) and (min-height: 30rem)';

const numbers = new Intl.NumberFormat('en');
const element = (id) => document.getElementById(id);
const dialogue = element('viewer');
let current = null; // OpenSeadragon's viewer of the image shown
let shown = ''; // its identifier
let script = null;

function loadScript() {
  script ??= new Promise((resolve, reject) => {
    // The viewer adds an inline style, which our policy forbids, unless it finds this mark. An
    // element of no namespace is found by its name and styles nothing.
    const mark = document.createElementNS(null, 'style');
    mark.setAttribute('data-openseadragon-mobile-css', 'true');
    document.head.append(mark);
    const tag = document.createElement('script');
    tag.src = VIEWER_SCRIPT;
    tag.onload = () => resolve(window.OpenSeadragon);
    tag.onerror = () => {
      script = null;
      reject(new Error('The viewer did not load.'));
    };
    document.head.append(tag);
  });
  return script;
}

/** The image information, or an error with the reason the service gives. */
async function information(identifier) {
  const answer = await fetch(informationAddress(identifier));
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    throw new Error(body.reason || `The service answered ${answer.status}.`);
  }
  return body;
}

function present(OpenSeadragon, info) {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  current = new OpenSeadragon({
    element: element('stage'),
    // The page may be open under another name of this host than the one info.json carries.
    tileSources: { ...info, id: location.origin + new URL(info.id).pathname },
    drawer: 'canvas',
    // From 1.1 on, OpenSeadragon would draw on a second canvas and move it by a whole pixel or two,
    // which leaves the last lines at the right and bottom of the stage empty.
    smoothTileEdgesMinZoom: Infinity,
    showNavigationControl: false,
    showNavigator: matchMedia(NAVIGATOR_FROM).matches,
    navigatorPosition: 'BOTTOM_RIGHT',
    navigatorSizeRatio: 0.16,
    navigatorBorderColor: 'transparent',
    navigatorDisplayRegionColor: '#e9c987',
    visibilityRatio: 0.7,
    minZoomImageRatio: 0.8,
    maxZoomPixelRatio: 3,
    animationTime: calm ? 0 : 0.9,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
  });
  current.addHandler('canvas-key', zoomByKey);
  const canvas = current.canvas;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', `${shown}, zoomable. Arrow keys move, plus and minus zoom, zero shows the whole image.`);
  canvas.focus({ preventScroll: true });
}

function describe(info) {
  element('viewer-size').textContent = `${numbers.format(info.width)} × ${numbers.format(info.height)} px`;
  element('viewer-address').textContent = `${info.id}/info.json`;
}

function clear() {
  current?.destroy();
  current = null;
  element('stage').replaceChildren();
  element('trouble').hidden = true;
  element('viewer-size').textContent = '';
}

/** Shows `identifier`; what goes wrong is said in the dialogue. */
export async function openViewer(identifier) {
  clear();
  shown = identifier;
  element('viewer-title').textContent = identifier;
  element('viewer-address').textContent = informationAddress(identifier);
  copyOnClick(element('copy'), () => element('viewer-address').textContent, identifier);
  document.title = `${identifier} · Vitrine`;
  if (!dialogue.open) {
    dialogue.showModal();
  }
  try {
    const [OpenSeadragon, info] = await Promise.all([loadScript(), information(identifier)]);
    if (shown === identifier) {
      describe(info);
      present(OpenSeadragon, info);
    }
  } catch (error) {
    element('trouble').textContent = error.message;
    element('trouble').hidden = shown !== identifier;
  }
}

/** Back to the gallery. */
export function closeViewer() {
  if (dialogue.open) {
    dialogue.close();
  }
}

function zoom(factor) {
  current?.viewport?.zoomBy(factor);
  current?.viewport?.applyConstraints();
}

// The viewer's own step is a tenth of the buttons'.
function zoomByKey(event) {
  const { key, ctrlKey, metaKey, altKey } = event.originalEvent;
  const step = { '+': ZOOM_STEP, '=': ZOOM_STEP, '-': 1 / ZOOM_STEP, _: 1 / ZOOM_STEP }[key];
  if (step && !ctrlKey && !metaKey && !altKey) {
    event.preventDefaultAction = true;
    zoom(step);
  }
}

dialogue.addEventListener('close', () => {
  clear();
  shown = '';
  document.title = 'Vitrine';
  if (!location.hash) {
    return; // by the browser's own Back
  }
  if (history.state?.fromGallery) {
    history.back();
  } else {
    history.replaceState(null, '', location.pathname); // a link led here: no gallery behind
  }
});
element('close').addEventListener('click', closeViewer);
element('zoom-in').addEventListener('click', () => zoom(ZOOM_STEP));
element('zoom-out').addEventListener('click', () => zoom(1 / ZOOM_STEP));
element('whole').addEventListener('click', () => current?.viewport?.goHome());
