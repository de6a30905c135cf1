// Runs both functions of the edge as CloudFront would, over one key-value store: the store and
// events in as JSON on stdin, what the functions return out. An event's path says whose it is.
const fs = require('node:fs');
const vm = require('node:vm');

const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const values = new Map(Object.entries(input.store));
const store = {
  get: async (key) => {
    if (!values.has(key)) {
      throw new Error('there is no such key');
    }
    return values.get(key);
  },
  exists: async (key) => values.has(key)
};
const context = { cf: { kvs: () => store }, crypto: require('node:crypto'), Buffer: Buffer };
const load = (paths) => {
  const text = paths.map((path) => fs.readFileSync(path, 'utf8')).join('');
  return vm.runInNewContext(`${text.replace(/^import .*$/gm, '')};handler`, { ...context });
};
const everybody = load(input.everybody);
const restricted = load(input.restricted);
// CloudFront decodes a path to choose its behavior, and passes on what was sent.
const isRestricted = (uri) => uri.replace(/%72/g, 'r').startsWith('/restricted/');
const run = async (event) => (isRestricted(event.request.uri) ? restricted : everybody)(event);
Promise.all(input.events.map(run)).then((all) => process.stdout.write(JSON.stringify(all)));
