// Who works at the desk, and what they may change.
import { signal } from '@preact/signals';
import type { AnyRecord } from '../records/types';
import { type Caller, getCaller } from './operations';

/** Null until the API has said it. */
export const caller = signal<Caller | null>(null);

/** Ask the API who it takes us for; without an answer, it refuses what we may not do. */
export async function loadCaller(): Promise<void> {
  try {
    caller.value = (await getCaller()).body;
  } catch {
    // What is asked for next says what is wrong.
  }
}

/** Return the collection of our department that a record belongs to; '' if we may change everything. */
export function collectionFor(record: AnyRecord): string {
  const { changes_everything: isFree = true, collections = [] } = caller.value ?? {};
  const around = [record.identifier, ...(record.part_of ?? [])];
  return isFree ? '' : (around.find((name) => collections.includes(name)) ?? '');
}
