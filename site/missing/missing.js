// @ts-check
// Puts the site's own page in the place of the bare one that the image service answers with where
// no page is: in the language of the address, with logo and navigation (vitrine/edge/missing_page.py).

const [, language = ''] = location.pathname.match(/\/([a-z]{2})(?:\/\d+)?$/) ?? [];

/**
 * Return the page at an address, null if there is none. A request for a document needs no markup
 * from a text, which the site's policy forbids.
 * @param {string} address
 * @returns {Promise<Document | null>}
 */
function load(address) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.responseType = 'document';
    request.onload = () => resolve(request.status === 200 ? request.response : null);
    request.onerror = () => resolve(null);
    request.send();
  });
}

const page = (language && (await load(`/missing/${language}`))) || (await load('/missing'));
if (page) {
  document.documentElement.lang = page.documentElement.lang;
  document.title = page.title;
  document.body.replaceWith(document.adoptNode(page.body));
}

export {};
