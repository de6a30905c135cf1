// A master on its way: from a file on this computer to a published image.
import { type ReadonlySignal, type Signal, computed, signal } from '@preact/signals';
import type { Ingest } from '../api/operations';

export type UploadState =
  | 'waiting'
  | 'sending'
  | 'offline'
  | 'interrupted'
  | 'exists'
  | 'processing'
  | 'published'
  | 'rejected'
  | 'failed'
  | 'refused';

/** What is kept of an upload in this browser, so that nothing is sent twice. */
export interface UploadNote {
  key: string;
  identifier: string;
  name: string;
  size: number;
  modified: number;
  /** Name of the upload in parts, once it has begun. */
  parts?: string | undefined;
  /** When the master that it replaces was changed; undefined for none. */
  before?: string | undefined;
  /** True once all of it was sent. */
  isSent?: boolean;
  /** True if it was rejected; the service may have another word by now. */
  isRejected?: boolean;
  /** True once the end was seen. */
  isOver?: boolean;
  /** When it began, in milliseconds. */
  began: number;
}

export class Upload {
  readonly state: Signal<UploadState>;
  readonly sentBytes = signal(0);
  /** What the service said of it at last, or why it did not take it. */
  readonly ingest = signal<Ingest | null>(null);
  readonly reason = signal('');
  /** True if it may replace a master of the same key. */
  mayReplace = false;

  constructor(
    public note: UploadNote,
    public file: File | null,
    state: UploadState
  ) {
    this.state = signal(state);
  }

  /** True once nothing more happens to it by itself. */
  readonly isOver: ReadonlySignal<boolean> = computed(() =>
    ['published', 'rejected', 'failed', 'refused', 'exists'].includes(this.state.value)
  );
}

/** Return the name under which a note is kept: the same file for the same key is the same upload. */
export function noteName(note: Pick<UploadNote, 'key' | 'size' | 'modified'>): string {
  return [note.key, note.size, note.modified].join('\n');
}
