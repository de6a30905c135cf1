// iiif-processor on a folder of pyramidal TIFFs: `node server.js PORT FOLDER WORKERS`.
//
// As well as we know how: a process per core, one libvips thread each (requests are parallel
// already), and the sizes of all levels known beforehand, so that it reads them for no request.
'use strict';

const cluster = require('node:cluster');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { Processor } = require('iiif-processor');
const sharp = require(require.resolve('sharp', { paths: [require.resolve('iiif-processor')] }));

const [port, folder, workers] = process.argv.slice(2);

async function levels(file) {
    // iiif-processor reads with no limit of pixels; so do we.
    const limitInputPixels = false;
    const { pages } = await sharp(file, { limitInputPixels }).metadata();
    const sizes = [];
    for (let page = 0; page < (pages || 1); page += 1) {
        const { width, height } = await sharp(file, { page, limitInputPixels }).metadata();
        sizes.push({ width, height });
    }
    return sizes;
}

async function sizesOfAll() {
    const sizes = new Map();
    for (const name of fs.readdirSync(folder).filter((entry) => entry.endsWith('.tif'))) {
        sizes.set(name.slice(0, -'.tif'.length), await levels(path.join(folder, name)));
    }
    return sizes;
}

function fileOf(id) {
    return path.join(folder, `${id}.tif`);
}

async function answer(request, response, sizes) {
    const url = `http://${request.headers.host}${request.url}`;
    const processor = new Processor(url, async ({ id }) => fs.createReadStream(fileOf(id)), {
        dimensionFunction: async ({ id }) => sizes.get(id),
    });
    const result = await processor.execute();
    if (result.type === 'content') {
        const body = Buffer.from(result.body);
        response.writeHead(200, { 'Content-Type': result.contentType, 'Content-Length': body.length });
        response.end(body);
    } else if (result.type === 'redirect') {
        response.writeHead(302, { Location: result.location }).end();
    } else {
        response.writeHead(result.statusCode || 500).end(String(result.message));
    }
}

async function serve() {
    sharp.concurrency(1);
    const sizes = await sizesOfAll();
    const server = http.createServer((request, response) => {
        if (request.url === '/ready') {
            response.writeHead(200).end();
            return;
        }
        // A file that is not there would end the process: the stream fails where nobody catches it.
        if (!sizes.has(decodeURIComponent(request.url.split('/')[3] || ''))) {
            response.writeHead(404).end();
            return;
        }
        answer(request, response, sizes).catch((error) => {
            response.writeHead(error.statusCode || 500).end(String(error.message));
        });
    });
    server.keepAliveTimeout = 75000;
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
