// @ts-check
// What Mirador 4.0.0 leaves out of IIIF Authentication 1.0. It does not draw an image again for those
// who were let in, in a place it waits for a token that it does not ask for, and it hands a token to
// any server whose image names the service that gave it. For any page with Mirador:
// `letIn(Mirador.viewer(…))`, at once. Needs nothing else of this site.

/** @param {string} address */
function originOf(address) {
  try {
    return new URL(address, location.href).origin;
  } catch {
    return '';
  }
}

/**
 * Make a viewer ask for tokens of a place, draw what a token opens, and keep tokens from servers of
 * others: a token goes to the origin that gave it.
 * @param {any} viewer what `Mirador.viewer` returns
 */
export function letIn({ store }) {
  const { Mirador } = /** @type {any} */ (window);
  const drawn = new Map();
  /** @param {string} address @param {any} options */
  const keepToken = (address, options) => {
    const sent = options?.headers?.Authorization;
    const { accessTokens } = store.getState();
    for (const { id, json } of Object.values(accessTokens)) {
      if (sent && sent === `Bearer ${json?.accessToken}` && originOf(id) !== originOf(address)) {
        throw new Error(`the token of ${id} is not for ${address}`);
      }
    }
    return options;
  };
  store.dispatch(Mirador.updateConfig({ requests: { preprocessors: [keepToken] } }));
  store.subscribe(() => {
    const { accessTokens, auth, infoResponses, windows } = store.getState();
    const answers = Object.values(infoResponses);
    for (const { authId, id, isFetching } of Object.values(accessTokens)) {
      const isAskedForHere = () =>
        answers.some((one) => originOf(one.id) === originOf(id) && JSON.stringify(one.json ?? '').includes(`"${id}"`));
      if (isFetching && !auth[authId]?.windowId && isAskedForHere()) {
        store.dispatch(Mirador.addAuthenticationRequest(Object.keys(windows)[0], authId));
        store.dispatch(Mirador.resolveAuthenticationRequest(authId, id));
      }
    }
    for (const { id, json, tokenServiceId } of answers) {
      const address = json?.['@id'] ?? json?.id;
      if (tokenServiceId && drawn.get(id) !== address) {
        drawn.set(id, address);
        store.dispatch(Mirador.removeInfoResponse(id));
        setTimeout(() => store.dispatch(Mirador.receiveInfoResponse(id, json, true, tokenServiceId)));
      }
    }
  });
}
