// Images that nobody sees before what shows them is published: their drafts name them.
import { collectionFor } from '../api/caller';
import { Refused } from '../api/client';
import { getAccess, getCollection, putAccess } from '../api/operations';
import { type Draft, type Held, currentRecord, drafts, findHolder, setDrafts } from '../records/drafts';
import type { AnyRecord } from '../records/types';

/** Closings that this page asked for, perhaps without an answer. */
const closings = new Map<string, Promise<void>>();
/** Images that are closed no more, although their files may be sent later. */
const released = new Set<string>();

/** Close an image before its file is sent, if its draft holds it. Throws Refused, Unreachable. */
export async function closeHeld(image: string): Promise<void> {
  const draft = findHolder(image);
  if (draft && !released.has(image)) {
    const closing = close(image, draft);
    closings.set(image, closing);
    await closing;
  }
}

async function close(image: string, draft: Draft): Promise<void> {
  const isAgain = draft.held?.[image];
  // Noted before it is asked: this page may be closed before the answer comes.
  changeHeld(draft, (held) => ({ ...held, [image]: true }));
  try {
    await putAccess(image, 'closed', 0, collectionFor(draft.record));
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'revision-changed')) {
      throw error;
    }
    if (!isAgain) {
      // Somebody used this identifier before: who sees its image is theirs to say.
      changeHeld(draft, ({ [image]: _, ...others }) => others);
    }
  }
}

/** Let images be seen as their collections say, and forget that they were held. Throws as above. */
export async function releaseHeld(name: string): Promise<void> {
  const draft = drafts.value.get(name);
  for (const image of Object.keys(draft?.held ?? {})) {
    released.add(image);
    await closings.get(image)?.catch(() => undefined);
    const { body } = await getAccess(image);
    if (body.is_own && body.access === 'closed') {
      await putAccess(image, 'inherited', body.revision, draft ? collectionFor(draft.record) : '');
    }
  }
  const current = drafts.value.get(name);
  if (current) {
    setDrafts([{ ...current, held: undefined }]);
  }
}

/** Change which images a draft holds, unless it was given up. */
function changeHeld({ record }: Draft, change: (held: Held) => Held): void {
  const current = drafts.value.get(record.identifier);
  if (current?.held) {
    const held = change(current.held);
    setDrafts([{ ...current, held: Object.keys(held).length ? held : undefined }]);
  }
}

/** Return true if a collection that a record is, or is in, lets not everybody see its images. */
export async function isRestricted(record: AnyRecord): Promise<boolean> {
  const names = record.type === 'collection' ? [record.identifier] : (record.part_of ?? []);
  return (await Promise.all(names.map(hasRule))).includes(true);
}

async function hasRule(name: string): Promise<boolean> {
  try {
    const found = currentRecord(name) ?? (await getCollection(name)).body;
    return found.type === 'collection' && Boolean(found.access) && found.access !== 'open';
  } catch (error) {
    // Without an answer nobody knows, so nobody sees them before they are published.
    return !(error instanceof Refused);
  }
}
