// @ts-check
// The order of a list of cards: that of the page, or by their titles. What it says is in the page.

const form = /** @type {HTMLElement} */ (document.querySelector('[data-sorting]'));
const select = /** @type {HTMLSelectElement} */ (form.querySelector('select'));
const list = /** @type {HTMLElement} */ (document.querySelector('ol.cards'));
const listed = [...list.children];
const { compare } = new Intl.Collator(document.documentElement.lang, { numeric: true });

/** @param {Element} card */
function title(card) {
  return card.querySelector('.title')?.textContent ?? '';
}

function sort() {
  const byTitle = [...listed].sort((one, other) => compare(title(one), title(other)));
  const orders = /** @type {Record<string, Element[]>} */ ({ listed, title: byTitle });
  list.replaceChildren(...(orders[select.value] ?? listed));
}

select.addEventListener('change', sort);
// The browser keeps what was chosen when somebody comes back.
if (select.value !== 'listed') sort();
