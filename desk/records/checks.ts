// Drafts are checked by the API's own rules while somebody types.
import { effect, signal } from '@preact/signals';
import { previewRecords } from '../api/operations';
import { drafts } from './drafts';
import type { AnyRecord, Fault } from './types';

const WAIT = 400; // milliseconds without another key
const MAX_RECORDS = 100;

/** Faults of drafts by identifier. */
export const faults = signal<ReadonlyMap<string, readonly Fault[]>>(new Map());
/** True from a change on until it is checked. */
export const isChecking = signal(false);
/** The record as it would be with the cell that is typed into; null while none is. */
export const trial = signal<AnyRecord | null>(null);

const checked = new Map<string, AnyRecord>();
let running: AbortController | null = null;

/** Check drafts, and what is typed, from now on. */
export function startChecks(): void {
  let timer = 0;
  effect(() => {
    isChecking.value = findUnchecked().length > 0;
    clearTimeout(timer);
    timer = setTimeout(checkChanged, WAIT);
  });
}

function readCurrent(): Map<string, AnyRecord> {
  const current = new Map([...drafts.value].map(([name, { record }]) => [name, record]));
  return trial.value ? current.set(trial.value.identifier, trial.value) : current;
}

function findUnchecked(): AnyRecord[] {
  return [...readCurrent().values()].filter((record) => checked.get(record.identifier) !== record);
}

/** Return the faults of a record at a place, and at places within it. */
export function faultsAt(found: readonly Fault[] | undefined, place: string): Fault[] {
  return (found ?? []).filter((fault) => fault.place === place || fault.place.startsWith(`${place}.`) || fault.place.startsWith(`${place}[`));
}

async function checkChanged(): Promise<void> {
  const current = readCurrent();
  for (const name of checked.keys()) {
    if (!current.has(name)) {
      checked.delete(name);
      setFaults([[name, []]]);
    }
  }
  running?.abort();
  const changed = findUnchecked();
  if (!changed.length) {
    return;
  }
  const controller = (running = new AbortController());
  try {
    for (let start = 0; start < changed.length; start += MAX_RECORDS) {
      const batch = changed.slice(start, start + MAX_RECORDS);
      const { body } = await previewRecords(batch, controller.signal);
      setFaults(batch.map((record, number) => [record.identifier, body.previews[number]?.faults ?? []]));
      batch.forEach((record) => checked.set(record.identifier, record));
    }
  } catch {
    // Publishing checks everything again, and says what is wrong.
  } finally {
    if (running === controller) {
      isChecking.value = false;
    }
  }
}

function setFaults(found: [string, readonly Fault[]][]): void {
  const all = new Map(faults.value);
  for (const [name, list] of found) {
    if (list.length) {
      all.set(name, list);
    } else {
      all.delete(name);
    }
  }
  faults.value = all;
}
