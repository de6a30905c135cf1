// What differs between two versions of a record.
import type { AnyRecord } from './types';

/** Return a text that two values share if they say the same. */
export function writeCanonically(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    one && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one
  );
}

export function isSame(one: unknown, other: unknown): boolean {
  return writeCanonically(one) === writeCanonically(other);
}

type Fields = Record<string, unknown>;

/** Return the names of the fields that differ. */
export function differingFields(one: AnyRecord | null, other: AnyRecord | null): string[] {
  const [a, b] = [(one ?? {}) as unknown as Fields, (other ?? {}) as unknown as Fields];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.filter((name) => !isSame(a[name], b[name]));
}

/** Return `theirs` with those fields of `mine` that are named. */
export function takeFields(mine: AnyRecord, theirs: AnyRecord, names: ReadonlySet<string>): AnyRecord {
  const taken = { ...theirs } as unknown as Fields;
  for (const name of names) {
    const value = (mine as unknown as Fields)[name];
    if (value === undefined) {
      delete taken[name];
    } else {
      taken[name] = value;
    }
  }
  return taken as unknown as AnyRecord;
}
