// A record on a page: what the API has of it, and what was changed of it in this browser.
import { useEffect, useState } from 'preact/hooks';
import { getPublication, getRecord, type Kind } from '../api/operations';
import { goTo } from '../route';
import { type Draft, drafts, type Known, known, noteKnown } from './drafts';
import type { AnyRecord } from './types';

export interface RecordInUse {
  /** As it is in this browser; undefined until it was read, and if there is none. */
  record: AnyRecord | undefined;
  known: Known | undefined;
  draft: Draft | undefined;
  /** Why there is no record. */
  refused: unknown;
}

export function useRecord(kind: Kind, name: string): RecordInUse {
  const [refused, setRefused] = useState<unknown>(null);
  const found = known.value.get(name);
  const draft = drafts.value.get(name);
  const isNew = Boolean(draft && (draft.restores || !draft.revision));
  useEffect(() => {
    setRefused(null);
    if (!found && !isNew) {
      void readKnown(kind, name).catch(setRefused);
    }
  }, [kind, name, !found, isNew]);
  return { record: draft?.record ?? found?.record, known: found, draft, refused: isNew ? null : refused };
}

async function readKnown(kind: Kind, name: string): Promise<void> {
  const { body: record, revision } = await getRecord(kind, name);
  if (record.identifier !== name) {
    goTo(kind, record.identifier); // the name is a previous one
    return;
  }
  const { body } = await getPublication(name);
  noteKnown({ record, revision, state: body.state, missing: body.missing_images });
}
