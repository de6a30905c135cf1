// The queue of masters: a few are sent at once, and each is followed until it is published.
import { batch, computed, signal } from '@preact/signals';
import { getIngest } from '../api/operations';
import { known, noteKnown } from '../records/drafts';
import { keep, keepNew, readAll } from '../storage';
import { noteIngests } from './rejections';
import { changeNote, sendMaster } from './send';
import { Upload, type UploadNote, type UploadState, noteName } from './upload';

const SENT_AT_ONCE = 4;
const FOLLOWED_AT_ONCE = 4;
const MAX_PAUSE = 10_000; // milliseconds between two questions about one master
const KEPT = 8 * 86_400_000; // milliseconds; S3 keeps the parts of an upload for a week

export const uploads = signal<readonly Upload[]>([]);

/** True while files of this page are being sent, so that it should stay open. */
export const isSending = computed(() => uploads.value.some((one) => one.file && ['waiting', 'sending', 'offline'].includes(one.state.value)));

/** A file, and the master and image that it becomes. */
export interface NewMaster {
  file: File;
  key: string;
  identifier: string;
  mayReplace?: boolean;
}

let sending = 0;

/** Send files; one that was sent before is only followed. */
export function addUploads(masters: readonly NewMaster[]): Upload[] {
  const added = masters.map(({ file, key, identifier, mayReplace }) => {
    const note = { key, identifier, name: file.name, size: file.size, modified: file.lastModified, began: Date.now() };
    const upload = new Upload(note, file, 'waiting');
    upload.mayReplace = Boolean(mayReplace);
    return upload;
  });
  const keys = new Set(added.map((one) => one.note.key));
  clearUploads((one) => keys.has(one.note.key), new Set(added.map((one) => noteName(one.note))));
  uploads.value = [...added, ...uploads.value];
  // All are kept at once: a page that is closed forgets none of those that wait.
  added.forEach(({ note, mayReplace }) => void (mayReplace ? keep : keepNew)('uploads', noteName(note), note));
  sendWaiting();
  return added;
}

/** Return what a file becomes: what it was to become in this folder before, or else what is given. */
export function findMaster(file: File, fresh: NewMaster, folder: string): NewMaster {
  const found =
    uploads.value.find(({ note }) => note.key === fresh.key) ??
    uploads.value.find(({ note }) => note.key.startsWith(folder) && isOf(note, file)) ??
    uploads.value.find(({ note, state }) => !folder && state.value === 'rejected' && note.name === file.name);
  return found ? { file, key: found.note.key, identifier: found.note.identifier } : fresh;
}

function isOf(note: UploadNote, file: File): boolean {
  return note.name === file.name && note.size === file.size && note.modified === file.lastModified;
}

/** Send a file after all: it replaces the master of the same key. */
export function replaceMaster(upload: Upload): void {
  upload.mayReplace = true;
  upload.note = { ...upload.note, parts: undefined, isSent: false };
  upload.state.value = 'waiting';
  sendWaiting();
}

/** Take uploads off the list, and forget them, but for notes of these names. */
export function clearUploads(which: (upload: Upload) => boolean, kept: ReadonlySet<string> = new Set()): void {
  const gone = uploads.value.filter(which);
  const names = gone.map(({ note }) => noteName(note)).filter((name) => !kept.has(name));
  names.forEach((name) => void keep('uploads', name, undefined));
  uploads.value = uploads.value.filter((upload) => !gone.includes(upload));
}

/** Go on with what this browser knows of uploads of earlier visits. */
export async function loadUploads(): Promise<void> {
  const notes = await readAll<UploadNote>('uploads');
  const old = Date.now() - KEPT;
  notes.filter((note) => note.began < old).forEach((note) => void keep('uploads', noteName(note), undefined));
  const recent = notes.filter((note) => note.began >= old);
  uploads.value = recent.map((note) => new Upload(note, null, stateOf(note)));
  void followAll();
}

function stateOf(note: UploadNote): UploadState {
  return note.isOver ? 'published' : note.isSent || note.isRejected ? 'processing' : 'interrupted';
}

function sendWaiting(): void {
  while (sending < SENT_AT_ONCE) {
    const next = uploads.value.findLast((one) => one.state.value === 'waiting');
    if (!next) {
      return;
    }
    next.state.value = 'sending';
    sending++;
    void sendMaster(next).finally(() => {
      sending--;
      sendWaiting();
      void followAll();
    });
  }
}

let followers = 0;
const pauses = new WeakMap<Upload, number>();
const followed = new WeakSet<Upload>();

/** Follow masters that are being processed. */
async function followAll(): Promise<void> {
  while (followers < FOLLOWED_AT_ONCE) {
    const next = uploads.value.findLast((one) => one.state.value === 'processing' && !followed.has(one));
    if (!next) {
      return;
    }
    followed.add(next);
    followers++;
    void follow(next).finally(() => {
      followers--;
      followed.delete(next);
      void followAll();
    });
  }
}

/** Ask once how far a master is, and wait before the next question. */
async function follow(upload: Upload): Promise<void> {
  const pause = pauses.get(upload) ?? 500;
  await new Promise((resolve) => setTimeout(resolve, pause));
  pauses.set(upload, Math.min(MAX_PAUSE, pause * 1.5));
  try {
    const { body } = await getIngest(upload.note.key);
    const state = FINAL[body.state];
    if (state) {
      batch(() => {
        upload.ingest.value = body;
        upload.reason.value = body.sentence ?? '';
        upload.state.value = state;
      });
      noteIngests([body]);
      // What was rejected may be sent again.
      await changeNote(upload, state === 'published' ? { isOver: true } : { isRejected: true, isSent: false, parts: undefined });
      if (state === 'published') {
        showPublished(body.identifier ?? upload.note.identifier);
      }
    }
  } catch {
    // The next question may be answered.
  }
}

const FINAL: Partial<Record<string, UploadState>> = {
  published: 'published',
  rejected: 'rejected',
  failed: 'failed',
  withdrawn: 'rejected'
};

/** Records that lacked an image have it now. */
function showPublished(image: string): void {
  const found = [...known.value.values()].filter((one) => one.missing.includes(image));
  if (found.length) {
    noteKnown(...found.map((one) => ({ ...one, state: 'published', missing: one.missing.filter((name) => name !== image) })));
  }
}
