// What a page does with each index: `window.search(text)` resolves to the number of results once
// the first twenty are on the page. The address names the index: ?ours, ?pagefind, ?minisearch.

const SHOWN = 20;
const name = location.search.slice(1);

const searches = {
  async ours() {
    const { Index } = await import('/search/index.js');
    const index = new Index();
    return async (text) => {
      const { found } = await index.query(text);
      const cards = await index.cards(found.slice(0, SHOWN));
      return [found.length, cards.map((card) => Object.values(card[2])[0])];
    };
  },
  async pagefind() {
    const pagefind = await import('/pagefind/pagefind.js');
    await pagefind.options({ excerptLength: 10 });
    await pagefind.init();
    return async (text) => {
      const { results } = await pagefind.search(text);
      const shown = await Promise.all(results.slice(0, SHOWN).map((one) => one.data()));
      return [results.length, shown.map((one) => one.meta.title)];
    };
  },
  async minisearch() {
    const { default: MiniSearch } = await import('/modules/minisearch/dist/es/index.js');
    const options = { fields: ['label', 'text'], storeFields: ['label', 'line', 'thumbnail'] };
    const shards = await Promise.all(
      Array.from({ length: 64 }, async (_, place) => {
        const answer = await fetch(`/minisearch/${place}.json`);
        return MiniSearch.loadJS(await answer.json(), options);
      }),
    );
    return async (text) => {
      const how = { prefix: true, combineWith: 'AND' };
      const found = shards.flatMap((shard) => shard.search(text, how));
      found.sort((one, other) => other.score - one.score);
      return [found.length, found.slice(0, SHOWN).map((one) => one.label)];
    };
  },
};

let prepared;
window.search = async (text) => {
  prepared ??= searches[name]();
  const [found, labels] = await (await prepared)(text);
  const items = labels.map((label) => {
    const item = document.createElement('li');
    item.textContent = label;
    return item;
  });
  document.querySelector('ol').replaceChildren(...items);
  return [found, labels.length];
};
