// Runs the viewer-request function as CloudFront would: events in as JSON on stdin, answers out.
const fs = require('node:fs');
const vm = require('node:vm');

const handler = vm.runInNewContext(`${fs.readFileSync(process.argv[2], 'utf8')};handler`);
const events = JSON.parse(fs.readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(events.map((event) => handler(event))));
