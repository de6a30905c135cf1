// @ts-check
// OpenSeadragon, from our own host, under a policy that forbids inline styles and HTML from text.

/** @type {Promise<any> | null} */
let library = null;

/** Load OpenSeadragon once; a failure may be tried again. */
export function loadOpenSeadragon() {
  // The library adds an inline style, which our policy forbids, unless it finds this mark. An
  // element of no namespace is found by its name and styles nothing.
  if (!document.querySelector('style[data-openseadragon-mobile-css]')) {
    const mark = document.createElementNS(null, 'style');
    mark.setAttribute('data-openseadragon-mobile-css', 'true');
    document.head.append(mark);
  }
  library ??= import(/** @type {any} */ ('/openseadragon/openseadragon.min.js'))
    .then(() => /** @type {any} */ (window).OpenSeadragon)
    .catch((error) => {
      library = null;
      throw error;
    });
  return library;
}

/**
 * Empty overlays without HTML: the library sets `innerHTML` to '', which Trusted Types forbid.
 * @param {any} viewer
 */
export function forbidMarkup(viewer) {
  for (const one of [viewer, viewer.navigator].filter(Boolean)) {
    Object.defineProperty(one.overlaysContainer, 'innerHTML', {
      set() {
        this.replaceChildren();
      },
    });
  }
}
