// A file is sent in parts: what came stays, and only what is missing is sent again.
import { Refused, Unreachable } from '../api/client';
import { type Ingest, type PartAddress, getIngest, startIngest } from '../api/operations';
import { runAtOnce } from '../at-once';
import { keep, read } from '../storage';
import { explain } from '../words';
import { closeHeld } from './held-images';
import { type Upload, type UploadNote, noteName } from './upload';

const PARTS_AT_ONCE = 2;
const MAX_REFUSALS = 5;
const MAX_WAIT = 30_000; // milliseconds between two attempts to reach anything

/** S3 does not take a part: its address is too old, or the upload is gone. */
class PartRefused extends Error {}

/** Send a file until all of it is there, over as many connections as that takes. */
export async function sendMaster(upload: Upload): Promise<void> {
  let refusals = 0;
  let isLost = false;
  for (let breaks = 0; ; ) {
    try {
      if (isLost) {
        await changeNote(upload, { parts: undefined, isSent: await hasArrived(upload) });
        isLost = false;
      }
      await sendMissing(upload);
      return;
    } catch (error) {
      if (error instanceof Unreachable) {
        upload.state.value = 'offline';
        await waitForConnection(breaks++);
      } else if (isStale(error) && ++refusals < MAX_REFUSALS) {
        isLost = error instanceof Refused;
      } else {
        upload.reason.value = explain(error);
        upload.state.value = 'refused';
        return;
      }
    }
  }
}

/** Keep a change of what is known of an upload. */
export async function changeNote(upload: Upload, change: Partial<UploadNote>): Promise<void> {
  upload.note = { ...upload.note, ...change };
  await keep('uploads', noteName(upload.note), upload.note);
}

async function sendMissing(upload: Upload): Promise<void> {
  const noted = await read<UploadNote>('uploads', noteName(upload.note));
  if (noted && !upload.mayReplace) {
    upload.note = { ...noted, identifier: upload.note.identifier };
  }
  if (upload.note.isSent) {
    upload.state.value = 'processing';
    return;
  }
  if (!upload.note.parts && (await isTaken(upload))) {
    return;
  }
  upload.state.value = 'sending';
  await closeHeld(upload.note.identifier);
  for (let ingest = await askForParts(upload); ingest.parts; ingest = await askForParts(upload)) {
    await changeNote(upload, { parts: ingest.parts.name });
    await sendParts(upload, ingest.parts.missing, ingest.parts.stored_bytes);
  }
  upload.sentBytes.value = upload.note.size;
  await changeNote(upload, { isSent: true });
  upload.state.value = 'processing';
}

/** Return true if there is a master of this key already, about which somebody has to decide. */
async function isTaken(upload: Upload): Promise<boolean> {
  const { body } = await getIngest(upload.note.key);
  if (!upload.mayReplace && (body.state === 'published' || body.state === 'unfinished')) {
    upload.ingest.value = body;
    upload.state.value = 'exists';
    return true;
  }
  await changeNote(upload, { before: body.changed_at });
  return false;
}

/** Return true if an upload that is not there any more has become a master: its answer was lost. */
async function hasArrived(upload: Upload): Promise<boolean> {
  const { body } = await getIngest(upload.note.key);
  const isChanged = body.state !== 'awaiting-upload' && body.changed_at !== upload.note.before;
  return body.state === 'unfinished' || isChanged;
}

async function askForParts(upload: Upload): Promise<Ingest> {
  const { key, identifier, size, parts } = upload.note;
  const file = upload.file;
  const begun = parts ? { parts } : { in_parts: true, ...(file?.type ? { content_type: file.type } : {}) };
  const { body } = await startIngest({ key, ...(identifier ? { identifier } : {}), upload: { bytes: size, ...begun } });
  return body;
}

async function sendParts(upload: Upload, missing: readonly PartAddress[], stored: number): Promise<void> {
  const sent = new Map<number, number>();
  upload.sentBytes.value = stored;
  await runAtOnce(PARTS_AT_ONCE, missing, (part) =>
    putPart(upload, part, (bytes) => {
      sent.set(part.start, bytes);
      upload.sentBytes.value = stored + [...sent.values()].reduce((sum, one) => sum + one, 0);
    })
  );
}

function putPart(upload: Upload, part: PartAddress, onProgress: (bytes: number) => void): Promise<void> {
  const { file } = upload;
  if (!file) {
    return Promise.reject(new Error('There is no file.'));
  }
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch does not say how much was sent
    request.open('PUT', part.address);
    for (const [name, value] of Object.entries(part.headers)) {
      if (name.toLowerCase() !== 'content-length') {
        request.setRequestHeader(name, value); // the browser itself says how long it is
      }
    }
    request.upload.onprogress = (event) => onProgress(event.loaded);
    request.onload = () => (request.status < 300 ? resolve() : reject(new PartRefused(`${request.status}`)));
    request.onerror = () => reject(new Unreachable());
    request.send(file.slice(part.start, part.start + part.bytes));
  });
}

function isStale(error: unknown): boolean {
  return error instanceof PartRefused || (error instanceof Refused && error.code === 'upload-missing');
}

function waitForConnection(breaks: number): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, Math.min(MAX_WAIT, 1_000 * 2 ** breaks));
    addEventListener('online', go);
  });
}
