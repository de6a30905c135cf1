// Runs a function as CloudFront would, its files joined: events in as JSON on stdin, answers out.
const fs = require('node:fs');
const vm = require('node:vm');

const text = process.argv.slice(2).map((path) => fs.readFileSync(path, 'utf8')).join('');
const handler = vm.runInNewContext(`${text};handler`);
const events = JSON.parse(fs.readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(events.map((event) => handler(event))));
