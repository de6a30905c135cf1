// The operations of the API that the desk calls, with what they answer (docs/reference/api.md).
import type { AnyRecord, CollectionRecord, Fault, ObjectRecord, Texts } from '../records/types';
import { type Answer, callApi, encodeName } from './client';

export type Kind = 'objects' | 'collections';

export interface Published {
  identifier: string;
  state: 'published' | 'waiting' | 'moved' | 'withdrawn';
  revision: number;
  changed: boolean;
  address: string;
  missing_images: string[];
}

export interface MemberEntry {
  identifier: string;
  revision: number;
  state: 'described' | 'redirect' | 'gone' | 'absent';
  record: AnyRecord | null;
  missing_images: string[];
}

export interface HistoryEntry {
  revision: number;
  changed_at: string;
  changed_by: string;
  state: 'described' | 'redirect' | 'gone';
  summary: string;
  access?: string;
}

export interface ImageRecord {
  identifier: string;
  state: 'live' | 'redirect' | 'gone';
  revision: number;
  changed_at: string;
  width?: number;
  height?: number;
  master_key?: string;
  target?: string;
  reason?: string;
  access?: string;
}

export interface AccessRecord {
  identifier: string;
  access: string;
  is_own: boolean;
  collections: Record<string, string>;
  revision: number;
}

export interface PartAddress {
  start: number;
  bytes: number;
  address: string;
  headers: Record<string, string>;
}

export interface Ingest {
  key: string;
  state: 'awaiting-upload' | 'unfinished' | 'published' | 'rejected' | 'failed' | 'withdrawn' | 'superseded';
  identifier?: string;
  code?: string;
  sentence?: string;
  advice?: string;
  notes?: string[];
  parts?: { name: string; stored_bytes: number; missing: PartAddress[] };
  changed_at?: string;
}

export interface Caller {
  caller: string;
  changes_everything: boolean;
  collections: string[];
  /** True if a program proposes alternative texts. */
  proposes_texts: boolean;
}

export interface MissingText {
  object: string;
  title: Texts;
  canvas: number;
  image: string;
  label: Texts;
  lacks: ('alt_text' | 'text')[];
}

export function kindOf(record: AnyRecord): Kind {
  return record.type === 'object' ? 'objects' : 'collections';
}

export const getObject = (name: string, revision?: number): Promise<Answer<ObjectRecord>> =>
  callApi('GET', `/objects/${encodeName(name)}`, { query: { revision } });

export const getCollection = (name: string, revision?: number): Promise<Answer<CollectionRecord>> =>
  callApi('GET', `/collections/${encodeName(name)}`, { query: { revision } });

export const getRecord = (kind: Kind, name: string, revision?: number): Promise<Answer<AnyRecord>> =>
  kind === 'objects' ? getObject(name, revision) : getCollection(name, revision);

export interface PutOptions {
  /** Collection of the caller's that something new belongs to. */
  collection?: string;
  replace_withdrawn?: boolean;
}

export const putRecord = (record: AnyRecord, over: number, options: PutOptions = {}): Promise<Answer<Published>> =>
  callApi('PUT', `/${kindOf(record)}/${encodeName(record.identifier)}`, { body: record, over, query: { ...options } });

export const deleteRecord = (kind: Kind, name: string, reason: string, over: number): Promise<Answer<Published>> =>
  callApi('DELETE', `/${kind}/${encodeName(name)}`, { over, query: { reason } });

export const getPublication = (name: string): Promise<Answer<Published>> =>
  callApi('GET', `/publications/${encodeName(name)}`);

export const getMembers = (name: string, after: string): Promise<Answer<{ members: MemberEntry[]; next: string }>> =>
  callApi('GET', `/members/${encodeName(name)}`, { query: { after, limit: 100 } });

export interface Listed {
  identifier: string;
  kind: 'object' | 'collection' | 'redirect' | 'withdrawn' | 'unreadable';
}

export const getIdentifiers = (after: string): Promise<Answer<{ objects: Listed[]; next: string }>> =>
  callApi('GET', '/objects', { query: { after, limit: 100 } });

export const getHistory = (name: string, before: number): Promise<Answer<{ entries: HistoryEntry[] }>> =>
  callApi('GET', `/histories/${encodeName(name)}`, { query: { before: before || undefined, limit: 20 } });

/** What putting a record would come to; `page` is the HTML of its page, if it was the only one. */
export interface Preview {
  faults: Fault[];
  page: string;
}

export const previewRecords = (records: AnyRecord[], signal: AbortSignal): Promise<Answer<{ previews: Preview[] }>> =>
  callApi('POST', '/previews', { body: { records }, signal });

export const renameRecord = (type: 'object' | 'image', old: string, name: string): Promise<Answer<unknown>> =>
  callApi('POST', '/renames', { body: { type, old, new: name } });

export const getImage = (name: string): Promise<Answer<ImageRecord>> => callApi('GET', `/images/${encodeName(name)}`);

export const withdrawImage = (name: string, reason: string, over: number): Promise<Answer<ImageRecord>> =>
  callApi('DELETE', `/images/${encodeName(name)}`, { over, query: { reason } });

export const restoreImage = (identifier: string): Promise<Answer<Ingest>> =>
  callApi('POST', '/restorations', { body: { identifier } });

export const getAccess = (name: string): Promise<Answer<AccessRecord>> => callApi('GET', `/access/${encodeName(name)}`);

export const putAccess = (name: string, access: string, over: number, collection = ''): Promise<Answer<AccessRecord>> =>
  callApi('PUT', `/access/${encodeName(name)}`, { body: { access }, over, query: { collection } });

export interface RedirectRecord {
  identifier: string;
  target: string;
}

export const listRedirects = (target: string): Promise<Answer<{ redirects: RedirectRecord[] }>> =>
  callApi('GET', '/redirects', { query: { target } });

/** Let the addresses of an identifier that nothing has lead to an image. */
export const addRedirect = (old: string, target: string): Promise<Answer<RedirectRecord>> =>
  callApi('PUT', `/redirects/${encodeName(old)}`, { body: { target }, over: 0 });

export const makeLink = (identifier: string, days: number): Promise<Answer<{ picture: string; expires_at: string }>> =>
  callApi('POST', '/links', { body: { identifier, days } });

export const startIngest = (body: Record<string, unknown>): Promise<Answer<Ingest>> =>
  callApi('POST', '/ingests', { body });

export const getIngest = (key: string): Promise<Answer<Ingest>> => callApi('GET', `/ingests/${encodeName(key)}`);

export const listIngests = (state: string): Promise<Answer<{ ingests: Ingest[] }>> =>
  callApi('GET', '/ingests', { query: { state, limit: 100 } });

export const getCaller = (): Promise<Answer<Caller>> => callApi('GET', '/caller');

export const getMissingTexts = (
  collection: string,
  after: string
): Promise<Answer<{ canvases: MissingText[]; next: string }>> =>
  callApi('GET', `/missing-texts/${encodeName(collection)}`, { query: { after, limit: 20 } });

export const proposeText = (image: string, language: string): Promise<Answer<{ text: string }>> =>
  callApi('POST', '/text-proposals', { body: { image, language } });
