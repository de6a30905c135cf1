// The list of a collection follows its objects: their titles and pictures.
import { getCollection, putRecord } from '../api/operations';
import { Refused } from '../api/client';
import { isSame } from './differences';
import { drafts, noteKnown, setDrafts } from './drafts';
import type { AnyRecord, CollectionRecord, Member, ObjectRecord } from './types';

/** An object that was published, and what it was before. */
export interface Change {
  record: AnyRecord;
  base: AnyRecord | null;
}

const ATTEMPTS = 4;

/** Return a collection whose list has these objects as they are now. */
export function listMembers(collection: CollectionRecord, changes: readonly Change[]): CollectionRecord {
  const members = [...(collection.members ?? [])];
  for (const { record, base } of changes) {
    const place = members.findIndex((one) => one.identifier === record.identifier);
    const listed = members[place];
    if (!listed) {
      members.push(describeMember(record));
    } else if (!base || isSame(listed.label, base.label)) {
      members[place] = { ...listed, ...describeMember(record), line: listed.line };
    } else {
      members[place] = { ...listed, image: describeMember(record).image };
    }
  }
  return isSame(members, collection.members ?? []) ? collection : { ...collection, members };
}

function describeMember(record: AnyRecord): Member {
  const image = record.thumbnail || (record.type === 'object' ? firstImage(record) : '');
  return {
    identifier: record.identifier,
    label: record.label,
    ...(record.type === 'collection' ? { is_collection: true } : {}),
    ...(image ? { image } : {})
  };
}

/** Return the identifier of the first image of an object; '' if it has none. */
export function firstImage(record: ObjectRecord): string {
  return record.canvases.find((canvas) => canvas.image)?.image ?? '';
}

/** Publish the list of a collection with these objects, on top of whatever it is by now. */
export function publishList(name: string, changes: readonly Change[]): Promise<void> {
  return changeCollection(name, (collection) => listMembers(collection, changes));
}

/** Publish the list of a collection with another identifier for an object. */
export function renameMember(name: string, old: string, identifier: string): Promise<void> {
  return changeCollection(name, (collection) => {
    const isListed = collection.members?.some((one) => one.identifier === old);
    const rename = (one: Member): Member => (one.identifier === old ? { ...one, identifier } : one);
    return isListed ? { ...collection, members: collection.members?.map(rename) } : collection;
  });
}

async function changeCollection(name: string, change: (collection: CollectionRecord) => CollectionRecord): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { body, revision } = await getCollection(name);
      const changed = change(body);
      if (changed === body) {
        return;
      }
      const answer = await putRecord(changed, revision);
      noteKnown({ record: changed, revision: answer.revision, state: answer.body.state, missing: [] });
      rebaseDraft(changed, answer.revision, change);
      return;
    } catch (error) {
      if (error instanceof Refused && error.code === 'no-object') {
        return; // a collection that is still to be published
      }
      if (!(error instanceof Refused && error.code === 'revision-changed') || attempt === ATTEMPTS) {
        throw error;
      }
    }
  }
}

/** Put a draft of the collection on top of what was just published. */
function rebaseDraft(
  base: CollectionRecord,
  revision: number,
  change: (collection: CollectionRecord) => CollectionRecord
): void {
  const draft = drafts.value.get(base.identifier);
  if (draft?.record.type === 'collection' && !draft.conflict) {
    setDrafts([{ ...draft, base, revision, record: change(draft.record) }]);
  }
}
