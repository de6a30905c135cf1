// Masters that were rejected, by the images that they were to become.
import { signal } from '@preact/signals';
import { type Ingest, listIngests } from '../api/operations';
import type { AnyRecord } from '../records/types';

export const rejections = signal<ReadonlyMap<string, Ingest>>(new Map());

/** Read which masters were rejected, or failed. Throws Refused and Unreachable. */
export async function loadRejections(): Promise<Ingest[]> {
  const answers = await Promise.all((['rejected', 'failed'] as const).map(listIngests));
  const found = answers.flatMap(({ body }) => body.ingests);
  noteIngests(found);
  return found;
}

/** Note how far masters are. */
export function noteIngests(found: readonly Ingest[]): void {
  const all = new Map(rejections.value);
  for (const ingest of found) {
    if (ingest.identifier && (ingest.state === 'rejected' || ingest.state === 'failed')) {
      all.set(ingest.identifier, ingest);
    } else if (ingest.identifier) {
      all.delete(ingest.identifier);
    }
  }
  rejections.value = all;
}

/** Return true if an image lacks its file, since it was rejected; `missing` are those that are not there, if known. */
export function isRejected(image: string, missing?: readonly string[]): boolean {
  return rejections.value.has(image) && (missing?.includes(image) ?? true);
}

/** Return true if a record lacks an image, since its file was rejected. */
export function lacksRejected(record: AnyRecord, missing?: readonly string[]): boolean {
  return record.type === 'object' && record.canvases.some(({ image }) => image && isRejected(image, missing));
}
