// @ts-check
// Two stages kept in step.

/** @typedef {import('./stage.js').OsdViewer} OsdViewer */

const TOUCHES = ['pointerdown', 'wheel', 'keydown', 'focusin'];

/**
 * Make each viewer follow the other: same part of its image, same times its whole, same rotation.
 * The one that was touched last leads.
 * @param {OsdViewer} first
 * @param {OsdViewer} second
 * @returns {{ lead: (viewer: OsdViewer) => void, end: () => void }}
 */
export function keepInStep(first, second) {
  let leader = first;
  const endings = [first, second].map((viewer) => {
    const follower = viewer === first ? second : first;
    const lead = () => (leader = viewer);
    const follow = () => {
      if (leader === viewer && viewer.world.getItemCount() && follower.world.getItemCount()) {
        copyView(viewer, follower);
      }
    };
    TOUCHES.forEach((name) => viewer.element.addEventListener(name, lead, { capture: true, passive: true }));
    const events = ['viewport-change', 'rotate', 'flip'];
    events.forEach((name) => viewer.addHandler(/** @type {any} */ (name), follow));
    return () => {
      TOUCHES.forEach((name) => viewer.element.removeEventListener(name, lead, { capture: true }));
      events.forEach((name) => viewer.removeHandler(/** @type {any} */ (name), follow));
    };
  });
  copyView(first, second);
  return { lead: (viewer) => (leader = viewer), end: () => endings.forEach((end) => end()) };
}

/**
 * @param {OsdViewer} from
 * @param {OsdViewer} to
 */
function copyView(from, to) {
  const [source, target] = [from, to].map((viewer) => viewer.world.getItemAt(0).getBounds());
  const centre = from.viewport.getCenter(true);
  const zoom = from.viewport.getZoom(true) / from.viewport.getHomeZoom();
  to.viewport.setRotation(from.viewport.getRotation(true), true);
  to.viewport.setFlip(from.viewport.getFlip());
  to.viewport.zoomTo(zoom * to.viewport.getHomeZoom(), undefined, true);
  const point = centre.clone();
  point.x = target.x + ((centre.x - source.x) / source.width) * target.width;
  point.y = target.y + ((centre.y - source.y) / source.height) * target.height;
  to.viewport.panTo(point, true);
}
