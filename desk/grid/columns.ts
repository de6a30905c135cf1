// The columns of the table: how each is read from a record, and written into it.
import { findStatement, languageOf, orNothing, readText, writeText } from '../records/texts';
import { rightsName, rightsUri } from '../records/rights';
import type { AnyRecord, Statement } from '../records/types';
import { words as w } from '../words';

export interface Column {
  key: string;
  name: string;
  /** True if each line of a cell is a value of its own. */
  isList?: boolean;
  /** What is proposed to who types. */
  list?: string;
  read: (record: AnyRecord) => string;
  /** Return the record with this text in the cell; the record itself where the cell is none. */
  write: (record: AnyRecord, text: string) => AnyRecord;
  /** Place of the cell in a record, as faults name it. */
  place: (record: AnyRecord) => string;
}

const TITLE: Column = {
  key: 'label',
  name: w.object.title,
  read: (record) => readText(record.label, languageOf(record)),
  write: (record, text) => {
    const language = languageOf(record);
    const label = writeText(record.label, language, text);
    // Without a title, the record keeps the language in which it is written.
    return { ...record, label: Object.keys(label).length ? label : { [language]: [''] } };
  },
  place: () => 'label'
};

const RIGHTS: Column = {
  key: 'rights',
  name: w.object.rights,
  list: 'rights-list',
  read: (record) => rightsName(record.rights ?? ''),
  write: (record, text) => ({ ...record, rights: rightsUri(text) || undefined }),
  place: () => 'rights'
};

const ALT_TEXT: Column = {
  key: 'alt_text',
  name: w.grid.altText,
  read: (record) => {
    const canvas = record.type === 'object' ? record.canvases[0] : undefined;
    return readText(canvas?.alt_text, languageOf(record));
  },
  write: (record, text) => {
    if (record.type !== 'object' || !record.canvases[0]) {
      return record;
    }
    const [first, ...rest] = record.canvases;
    const alt = orNothing(writeText(first.alt_text, languageOf(record), text));
    return { ...record, canvases: [{ ...first, alt_text: alt }, ...rest] };
  },
  place: () => 'canvases[0].alt_text'
};

/** Return true if the table may have a cell for a place in a record. */
export function isInTable(place: string): boolean {
  return /^(label|rights|metadata\[\d+\]|canvases\[0\]\.alt_text)(?![a-z_])/.test(place);
}

/** Return the columns of these records: the metadata that any of them has, and that were added. */
export function columnsOf(records: readonly AnyRecord[], added: readonly string[]): Column[] {
  const pairs = new Map<string, Statement>();
  for (const record of records) {
    const language = languageOf(record);
    for (const pair of record.metadata ?? []) {
      const name = readText(pair.label, language);
      if (name && !pairs.has(name)) {
        pairs.set(name, pair);
      }
    }
  }
  const names = [...new Set([...pairs.keys(), ...added])];
  return [TITLE, ALT_TEXT, RIGHTS, ...names.map((name) => metadataColumn(name, pairs.get(name)))];
}

/** Return a column of metadata; `like` is a pair of another record, whose label new ones have. */
function metadataColumn(name: string, like: Statement | undefined): Column {
  return {
    key: `metadata:${name}`,
    name,
    isList: true,
    read: (record) => {
      const pair = record.metadata?.[findStatement(record.metadata, name)];
      return readText(pair?.value, languageOf(record));
    },
    write: (record, text) => {
      const language = languageOf(record);
      const metadata = [...(record.metadata ?? [])];
      const place = findStatement(metadata, name);
      const pair = metadata[place] ?? { label: like?.label ?? { [language]: [name] }, value: {}, ...(like?.facet ? { facet: true } : {}) };
      const value = writeText(pair.value, language, text, true);
      const written = Object.keys(value).length ? [{ ...pair, value }] : [];
      metadata.splice(place < 0 ? metadata.length : place, place < 0 ? 0 : 1, ...written);
      return { ...record, metadata: metadata.length ? metadata : undefined };
    },
    place: (record) => `metadata[${findStatement(record.metadata, name)}]`
  };
}
