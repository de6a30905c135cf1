// Runs both functions of the edge as CloudFront would, over one key-value store: the store and
// events in as JSON on stdin, what the functions return out. An event's path says whose it is.
const fs = require('node:fs');
const { load } = require('./edge_functions.js');

const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const read = (paths) => paths.map((path) => fs.readFileSync(path, 'utf8')).join('');
const everybody = load(read(input.everybody), input.store);
const restricted = load(read(input.restricted), input.store);
// CloudFront decodes a path to choose its behavior, and passes on what was sent.
const isRestricted = (uri) => uri.replace(/%72/g, 'r').startsWith('/restricted/');
const run = async (event) => (isRestricted(event.request.uri) ? restricted : everybody)(event);
Promise.all(input.events.map(run)).then((all) => process.stdout.write(JSON.stringify(all)));
