// A collection with all that is in it is taken off the web, and brought back.
import { Refused } from '../api/client';
import {
  type MemberEntry,
  deleteRecord,
  getHistory,
  getImage,
  getMembers,
  getRecord,
  restoreImage,
  withdrawImage
} from '../api/operations';
import { runAtOnce } from '../at-once';
import { dropDrafts, forgetKnown, setDrafts } from './drafts';
import type { AnyRecord, ObjectRecord } from './types';

const AT_ONCE = 4;

export interface MemberObject {
  record: ObjectRecord;
  revision: number;
}

/** Return the objects of a collection that are not withdrawn. */
export async function readMemberObjects(name: string): Promise<MemberObject[]> {
  const found: MemberObject[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { body }: { body: { members: MemberEntry[]; next: string } } = await getMembers(name, after);
    found.push(...body.members.flatMap(({ record, revision }) => (record?.type === 'object' ? { record, revision } : [])));
    after = body.next || null;
  }
  return found;
}

/** Withdraw objects with their images; `onDone` is called for each. */
export async function withdrawObjects(
  found: readonly MemberObject[],
  reason: string,
  onDone: (count: number) => void
): Promise<void> {
  let count = 0;
  await runAtOnce(AT_ONCE, found, async ({ record, revision }) => {
    for (const image of imagesOf(record)) {
      await withdrawLive(image, reason);
    }
    await deleteRecord('objects', record.identifier, reason, revision);
    dropDrafts(record.identifier);
    forgetKnown(record.identifier);
    onDone(++count);
  });
}

/** Make drafts of what withdrawn members were, and restore their images. */
export async function bringBackMembers(absent: readonly MemberEntry[], onDone: (count: number) => void): Promise<void> {
  let count = 0;
  await runAtOnce(AT_ONCE, absent, async ({ identifier, revision }) => {
    const { body } = await getHistory(identifier, 0);
    const last = body.entries.find((entry) => entry.state === 'described');
    if (last) {
      const { body: record } = await getRecord('objects', identifier, last.revision);
      for (const image of imagesOf(record)) {
        await restoreGone(image);
      }
      setDrafts([{ record, base: null, revision, restores: true }]);
    }
    onDone(++count);
  });
}

function imagesOf(record: AnyRecord): string[] {
  return record.type === 'object' ? record.canvases.flatMap(({ image }) => image || []) : [];
}

async function withdrawLive(image: string, reason: string): Promise<void> {
  const found = await findImage(image);
  if (found?.state === 'live') {
    await withdrawImage(image, reason, found.revision);
  }
}

async function restoreGone(image: string): Promise<void> {
  const found = await findImage(image);
  if (found?.state === 'gone') {
    await restoreImage(image);
  }
}

/** Return an image; undefined for one whose file never came. */
async function findImage(image: string): Promise<{ state: string; revision: number } | undefined> {
  try {
    return (await getImage(image)).body;
  } catch (error) {
    if (error instanceof Refused && error.code === 'no-image') {
      return undefined;
    }
    throw error;
  }
}
