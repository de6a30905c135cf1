// What CloudFront gives a function of the edge, for tests in node: a key-value store that is only
// read, crypto and Buffer.
const vm = require('node:vm');

// Returns the handler of a function's text, over a store of these entries.
exports.load = (text, entries) => {
  const values = new Map(Object.entries(entries));
  const store = {
    get: async (key) => {
      if (!values.has(key)) {
        throw new Error('there is no such key');
      }
      return values.get(key);
    },
    exists: async (key) => values.has(key)
  };
  const modules = { cloudfront: { kvs: () => store }, crypto: require('node:crypto') };
  const script = text.replace(/\bimport ([\w$]+) from *['"]([a-z]+)['"];/g, 'const $1 = modules.$2;');
  return vm.runInNewContext(`${script};handler`, { modules: modules, Buffer: Buffer });
};
