// The members of a collection, page after page.
import { useEffect, useState } from 'preact/hooks';
import { type MemberEntry, getMembers } from '../api/operations';
import { drafts, known, noteKnown } from './drafts';

const MAX_ROWS = 1_000;

export interface Members {
  /** In the order of the list, and then those that are new in this browser. */
  identifiers: string[];
  /** Those of the list that nobody sees, or that have another identifier by now. */
  absent: MemberEntry[];
  isLoading: boolean;
  /** Reads further ones; undefined once all are there. */
  readMore: (() => void) | undefined;
  refused: unknown;
}

/** Read the members of a collection; of one that is yet to be published, there are only drafts. */
export function useMembers(name: string, isPublished: boolean): Members {
  const [entries, setEntries] = useState<readonly MemberEntry[]>([]);
  const [after, setAfter] = useState<string | null>('');
  const [limit, setLimit] = useState(MAX_ROWS);
  const [refused, setRefused] = useState<unknown>(null);
  const isLoading = isPublished && after !== null && entries.length < limit && !refused;
  useEffect(() => {
    let isCurrent = true;
    if (isLoading && after !== null) {
      getMembers(name, after).then(
        ({ body }) => {
          if (isCurrent) {
            noteMembers(body.members);
            setEntries([...entries, ...body.members]);
            setAfter(body.next || null);
          }
        },
        (error) => isCurrent && setRefused(error)
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [name, after, isLoading]);
  const listed = entries.filter(({ record, identifier }) => record || known.value.has(identifier)).map(({ identifier }) => identifier);
  const added = [...drafts.value.values()].filter(({ record }) => record.part_of?.includes(name));
  const published = [...known.value.values()].filter(({ record }) => record.part_of?.includes(name));
  const all = [...listed, ...[...published, ...added].map(({ record }) => record.identifier)];
  return {
    identifiers: [...new Set(after === null || !isPublished ? all : listed)],
    absent: entries.filter(({ record, identifier }) => !record && !known.value.has(identifier) && !drafts.value.has(identifier)),
    isLoading,
    readMore: isPublished && after !== null && !isLoading ? () => setLimit(limit + MAX_ROWS) : undefined,
    refused
  };
}

function noteMembers(members: readonly MemberEntry[]): void {
  const found = members.flatMap(({ record, revision, missing_images: missing }) => {
    const newer = record && known.value.get(record.identifier);
    if (!record || (newer && newer.revision > revision)) {
      return [];
    }
    const isWaiting = record.type === 'object' && record.canvases.every((canvas) => canvas.image && missing.includes(canvas.image));
    return [{ record, revision, state: isWaiting ? 'waiting' : 'published', missing }];
  });
  noteKnown(...found);
}
