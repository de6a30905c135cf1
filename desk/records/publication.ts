// Drafts are published: objects first, then the collections that list them.
import { collectionFor } from '../api/caller';
import { Refused } from '../api/client';
import { getRecord, kindOf, putRecord } from '../api/operations';
import { runAtOnce } from '../at-once';
import { releaseHeld } from '../uploads/held-images';
import { lacksRejected } from '../uploads/rejections';
import { explain } from '../words';
import { faults } from './checks';
import { type Draft, drafts, dropDrafts, known, noteKnown, setDrafts } from './drafts';
import { listMembers, publishList } from './member-lists';
import type { CollectionRecord } from './types';

const AT_ONCE = 4;

/** What publishing some drafts will do. */
export interface Plan {
  created: Draft[];
  changed: Draft[];
  restored: Draft[];
  /** Those of the ones to publish that lack an image, since its file was rejected. */
  rejected: Draft[];
  /** Left as they are: they break rules, or somebody else changed them. */
  left: Draft[];
  /** Identifiers of other collections whose lists follow. */
  lists: string[];
}

export interface Outcome {
  identifier: string;
  state: 'published' | 'waiting' | 'conflict' | 'refused';
  reason: string;
}

/** Return what publishing these drafts will do. */
export function planPublication(chosen: readonly Draft[]): Plan {
  const isLeft = (draft: Draft): boolean => Boolean(draft.conflict) || faults.value.has(draft.record.identifier);
  const ready = chosen.filter((draft) => !isLeft(draft));
  const own = new Set(ready.map((draft) => draft.record.identifier));
  const around = ready.flatMap((draft) => draft.record.part_of ?? []);
  return {
    created: ready.filter((draft) => !draft.revision),
    changed: ready.filter((draft) => draft.revision && !draft.restores),
    restored: ready.filter((draft) => draft.restores),
    rejected: ready.filter(({ record }) => lacksRejected(record, known.value.get(record.identifier)?.missing)),
    left: chosen.filter(isLeft),
    lists: [...new Set(around)].filter((name) => !own.has(name))
  };
}

/** Publish a plan; `onOutcome` is called for each draft. Throws Unreachable. */
export async function publishPlan(plan: Plan, onOutcome: (outcome: Outcome) => void): Promise<void> {
  const ready = [...plan.created, ...plan.changed, ...plan.restored];
  const objects = ready.filter((draft) => draft.record.type === 'object');
  const collections = ready.filter((draft) => draft.record.type === 'collection');
  const done: Draft[] = [];
  await runAtOnce(AT_ONCE, objects, async (draft) => {
    const outcome = await publishDraft(draft);
    if (outcome.state === 'published' || outcome.state === 'waiting') {
      done.push(draft);
    }
    onOutcome(outcome);
  });
  const inOrder = objects.filter((draft) => done.includes(draft));
  for (const draft of collections) {
    const members = inOrder.filter(({ record }) => record.part_of?.includes(draft.record.identifier));
    const record = listMembers(draft.record as CollectionRecord, members);
    onOutcome(await publishDraft({ ...draft, record }));
  }
  for (const name of plan.lists) {
    try {
      await publishList(name, inOrder.filter(({ record }) => record.part_of?.includes(name)));
    } catch (error) {
      onOutcome({ identifier: name, state: 'refused', reason: explain(error) });
    }
  }
  // Not before the rules of their collections hold.
  const held = inOrder.filter((draft) => draft.held);
  await runAtOnce(AT_ONCE, held, async ({ record: { identifier } }) => {
    try {
      await releaseHeld(identifier);
      notePublished(identifier);
    } catch (error) {
      onOutcome({ identifier, state: 'refused', reason: explain(error) });
    }
  });
}

/** Note that an object shows its images, unless some of them are still to come. */
function notePublished(identifier: string): void {
  const found = known.value.get(identifier);
  if (found && !found.missing.length) {
    noteKnown({ ...found, state: 'published' });
  }
}

async function publishDraft(draft: Draft): Promise<Outcome> {
  const identifier = draft.record.identifier;
  try {
    const options = { collection: collectionFor(draft.record), replace_withdrawn: Boolean(draft.restores) };
    const { body, revision } = await putRecord(draft.record, draft.revision, options);
    noteKnown({ record: draft.record, revision, state: body.state, missing: body.missing_images });
    keepWhatCameMeanwhile(draft, revision);
    const isWaiting = body.state === 'waiting' && body.missing_images.length > 0;
    return { identifier, state: isWaiting ? 'waiting' : 'published', reason: '' };
  } catch (error) {
    if (error instanceof Refused && error.code === 'revision-changed' && (await noteConflict(draft))) {
      return { identifier, state: 'conflict', reason: '' };
    }
    return { identifier, state: 'refused', reason: explain(error) };
  }
}

/** Drop a draft that was published, unless somebody has typed since, or it holds images. */
function keepWhatCameMeanwhile(sent: Draft, revision: number): void {
  const identifier = sent.record.identifier;
  const current = drafts.value.get(identifier);
  const isTyped = current && current.record !== sent.record && current.record.type === 'object';
  if (current && (isTyped || current.held)) {
    setDrafts([{ base: sent.record, revision, record: isTyped ? current.record : sent.record, held: current.held }]);
  } else {
    dropDrafts(identifier);
  }
}

/** Put what somebody else published next to a draft; return false if there is nothing. */
async function noteConflict(draft: Draft): Promise<boolean> {
  try {
    const { body: record, revision } = await getRecord(kindOf(draft.record), draft.record.identifier);
    setDrafts([{ ...draft, conflict: { record, revision } }]);
    return true;
  } catch {
    return false;
  }
}
