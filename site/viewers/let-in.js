// @ts-check
// What Mirador 4.0.0 leaves out of IIIF Authentication 1.0. It does not draw an image again for those
// who were let in, and in a place it waits for a token that it does not ask for. For any page with
// Mirador: `letIn(Mirador.viewer(…))`. Needs nothing else of this site.

/**
 * Make a viewer ask for tokens of a place, and draw what a token opens.
 * @param {any} viewer what `Mirador.viewer` returns
 */
export function letIn({ store }) {
  const { Mirador } = /** @type {any} */ (window);
  const drawn = new Map();
  store.subscribe(() => {
    const { accessTokens, auth, infoResponses, windows } = store.getState();
    for (const { authId, id, isFetching } of Object.values(accessTokens)) {
      if (isFetching && !auth[authId]?.windowId) {
        store.dispatch(Mirador.addAuthenticationRequest(Object.keys(windows)[0], authId));
        store.dispatch(Mirador.resolveAuthenticationRequest(authId, id));
      }
    }
    for (const { id, json, tokenServiceId } of Object.values(infoResponses)) {
      const address = json?.['@id'] ?? json?.id;
      if (tokenServiceId && drawn.get(id) !== address) {
        drawn.set(id, address);
        store.dispatch(Mirador.removeInfoResponse(id));
        setTimeout(() => store.dispatch(Mirador.receiveInfoResponse(id, json, true, tokenServiceId)));
      }
    }
  });
}
