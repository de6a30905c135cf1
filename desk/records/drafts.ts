// Records as they are published, and changes of them that are kept in this browser until then.
import { signal } from '@preact/signals';
import { keep, readAll } from '../storage';
import { isSame } from './differences';
import type { AnyRecord } from './types';

/** A record as the API has it. */
export interface Known {
  record: AnyRecord;
  revision: number;
  state: string;
  missing: readonly string[];
}

/** Images, each with true once this browser asked that it be closed. */
export type Held = Readonly<Record<string, boolean>>;

export interface Draft {
  record: AnyRecord;
  /** What the draft was made of; null for something new. */
  base: AnyRecord | null;
  /** Revision that it replaces; 0 for something new. */
  revision: number;
  /** True if it brings back what was withdrawn. */
  restores?: boolean;
  /** Images that nobody sees before it is published. */
  held?: Held | undefined;
  /** What somebody else published meanwhile. */
  conflict?: { record: AnyRecord; revision: number };
}

export const known = signal<ReadonlyMap<string, Known>>(new Map());
export const drafts = signal<ReadonlyMap<string, Draft>>(new Map());
/** Drafts that were given up on this page while they held images: files may still wait to be sent. */
const givenUp = new Map<string, Draft>();

/** Read the drafts that this browser kept. */
export async function loadDrafts(): Promise<void> {
  const found = await readAll<Draft>('drafts');
  drafts.value = new Map(found.map((draft) => [draft.record.identifier, draft]));
}

/** Note records as the API has them. */
export function noteKnown(...found: Known[]): void {
  const all = new Map(known.value);
  found.forEach((one) => all.set(one.record.identifier, one));
  known.value = all;
}

/** Forget what the API had, so that it is read again. */
export function forgetKnown(identifier: string): void {
  const all = new Map(known.value);
  all.delete(identifier);
  known.value = all;
}

/** Return a record as it is in this browser; undefined if it was not read yet. */
export function currentRecord(identifier: string): AnyRecord | undefined {
  return drafts.value.get(identifier)?.record ?? known.value.get(identifier)?.record;
}

/** Keep changed records; one that is as it was published is no draft. */
export function editRecords(...records: AnyRecord[]): void {
  setDrafts(records.map((record) => {
    const name = record.identifier;
    const draft = drafts.value.get(name);
    const { record: base = null, revision = 0 } = known.value.get(name) ?? {};
    return draft ? { ...draft, record } : { record, base, revision };
  }));
}

/** Let nobody see images before a draft of them is published. */
export function holdImages(name: string, images: readonly string[]): void {
  const draft = drafts.value.get(name);
  if (draft && images.length) {
    setDrafts([{ ...draft, held: { ...Object.fromEntries(images.map((image) => [image, false])), ...draft.held } }]);
  }
}

/** Return the draft that holds an image, or did when it was given up. */
export function findHolder(image: string): Draft | undefined {
  return [...drafts.value.values(), ...givenUp.values()].find(({ held }) => held && image in held);
}

/** Keep drafts as they are given, but for those that change nothing. */
export function setDrafts(changed: Draft[]): void {
  const all = new Map(drafts.value);
  for (const draft of changed) {
    const name = draft.record.identifier;
    givenUp.delete(name);
    if (draft.base && !draft.restores && !draft.held && isSame(draft.base, draft.record)) {
      all.delete(name);
      void keep('drafts', name, undefined);
    } else {
      all.set(name, draft);
      void keep('drafts', name, draft);
    }
  }
  drafts.value = all;
}

/** Give up drafts. */
export function dropDrafts(...names: string[]): void {
  const all = new Map(drafts.value);
  for (const name of names) {
    const draft = all.get(name);
    if (draft?.held) {
      givenUp.set(name, draft);
    }
    all.delete(name);
    void keep('drafts', name, undefined);
  }
  drafts.value = all;
}

/** Return the drafts of a collection, and of what says that it is in it. */
export function draftsOf(collection: string): Draft[] {
  return [...drafts.value.values()].filter(
    ({ record }) => record.identifier === collection || record.part_of?.includes(collection)
  );
}
