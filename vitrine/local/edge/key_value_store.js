// What CloudFront's module of this name does for the function before restricted images, over the
// file that vitrine/adapters/nginx/edge_keys.py writes.
import fs from 'fs';

function values() {
    try {
        return JSON.parse(fs.readFileSync('${DIRECTORY}/edge-keys.json'));
    } catch (error) {
        return {};
    }
}

async function get(key) {
    const found = values()[key];
    if (found === undefined) {
        throw new Error('there is no such key');
    }
    return found;
}

async function exists(key) {
    return values()[key] !== undefined;
}

export default { kvs: () => ({ get: get, exists: exists }) };
