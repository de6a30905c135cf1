// Engines on Node that make a thumbnail of a photograph: `node server.js ENGINE PORT WORKERS SIDE`.
//
// A process per core, one libvips thread each: requests are parallel already.
'use strict';

const cluster = require('node:cluster');
const http = require('node:http');
const { Readable } = require('node:stream');

const [engine, port, workers, side] = process.argv.slice(2);

function sharpEngine(fast) {
    const sharp = require('sharp');
    sharp.concurrency(1);
    sharp.cache(false);
    return (photo) =>
        sharp(photo)
            .rotate()
            .resize(Number(side), Number(side), { fit: 'inside', fastShrinkOnLoad: fast })
            .normalise()
            .sharpen()
            .jpeg({ quality: 85 })
            .toBuffer();
}

function processorEngine() {
    const { Processor } = require('iiif-processor');
    require(require.resolve('sharp', { paths: [require.resolve('iiif-processor')] })).concurrency(1);
    const url = `http://127.0.0.1/iiif/3/photo/full/!${side},${side}/0/default.jpg`;
    return async (photo) => {
        const answer = await new Processor(url, async () => Readable.from([photo])).execute();
        return Buffer.from(answer.body);
    };
}

function ipxEngine() {
    const { createIPX } = require('ipx');
    require(require.resolve('sharp', { paths: [require.resolve('ipx')] })).concurrency(1);
    const photos = new Map();
    let count = 0;
    const storage = {
        name: 'memory',
        getMeta: async (id) => (photos.has(id) ? { mtime: new Date(0) } : undefined),
        getData: async (id) => photos.get(id),
    };
    const ipx = createIPX({ storage });
    return async (photo) => {
        count += 1;
        const id = `/photo-${count}.jpg`;
        photos.set(id, photo);
        try {
            const modifiers = { resize: `${side}x${side}`, fit: 'inside', f: 'jpeg', q: '85' };
            return (await ipx(id, modifiers).process()).data;
        } finally {
            photos.delete(id);
        }
    };
}

const ENGINES = {
    sharp: () => sharpEngine(true),
    'sharp-careful': () => sharpEngine(false),
    'iiif-processor': processorEngine,
    ipx: ipxEngine,
};

async function bodyOf(request) {
    const parts = [];
    for await (const part of request) {
        parts.push(part);
    }
    return Buffer.concat(parts);
}

function thumbnailListener() {
    const make = ENGINES[engine]();
    return async (request, response) => {
        try {
            const thumbnail = await make(await bodyOf(request));
            response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': thumbnail.length });
            response.end(thumbnail);
        } catch (error) {
            response.writeHead(500).end(String(error.message));
        }
    };
}

function serve() {
    const listener = thumbnailListener();
    const server = http.createServer((request, response) => {
        if (request.url === '/ready') {
            response.writeHead(200).end();
            return;
        }
        listener(request, response);
    });
    server.listen({ port: Number(port), host: '127.0.0.1', backlog: 2048 });
}

if (cluster.isPrimary) {
    for (let index = 0; index < Number(workers); index += 1) {
        cluster.fork();
    }
    process.on('SIGTERM', () => process.exit(0));
} else {
    serve();
}
