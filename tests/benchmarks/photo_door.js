// Rivals on Node: a line of JSON {"engine", "path"} in, one with the CPU and the thumbnail out.
'use strict';
const fs = require('fs');
const readline = require('readline');
const { Readable } = require('stream');
const modules = process.argv[2];
const sharp = require(modules + '/sharp');
const { Processor } = require(modules + '/iiif-processor');

sharp.concurrency(1);
sharp.cache(false);

async function withSharp(bytes, clean, fast) {
  const small = sharp(bytes)
    .rotate()
    .resize(500, 500, { fit: 'inside', fastShrinkOnLoad: fast });
  return (clean ? small.normalise().sharpen() : small).jpeg({ quality: 85 }).toBuffer();
}

async function withProcessor(bytes) {
  const url = 'http://127.0.0.1/iiif/3/photo/full/!500,500/0/default.jpg';
  const answer = await new Processor(url, async () => Readable.from([bytes])).execute();
  return Buffer.from(answer.body);
}

const ENGINES = {
  sharp: (bytes, clean) => withSharp(bytes, clean, true),
  'sharp, careful': (bytes, clean) => withSharp(bytes, clean, false),
  'iiif-processor': withProcessor,
};

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    const bytes = fs.readFileSync(request.path);
    const before = process.cpuUsage();
    const thumbnail = await ENGINES[request.engine](bytes, request.clean);
    const used = process.cpuUsage(before);
    const milliseconds = (used.user + used.system) / 1000;
    console.log(JSON.stringify({ milliseconds, thumbnail: thumbnail.toString('base64') }));
  }
}

main();
