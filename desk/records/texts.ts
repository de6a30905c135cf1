// Texts of a record in one language, as people type them: several values are lines.
import type { Statement, Texts } from './types';

const NONE = 'none';

/** Return the language in which a record is written: that of its title. */
export function languageOf(record: { label: Texts }): string {
  return Object.keys(record.label)[0] ?? 'en';
}

/** Return the languages of a text, the given one if it has none yet. */
export function languagesOf(texts: Texts | undefined, language: string): string[] {
  const found = Object.keys(texts ?? {});
  return found.length ? found : [language];
}

/** Return the key under which a text is, for who looks for a language. */
function keyFor(texts: Texts | undefined, language: string): string {
  const found = Object.keys(texts ?? {});
  return [language, NONE, found[0]].find((key) => key !== undefined && found.includes(key)) ?? language;
}

/** Return a text in a language, or else in the one that it has. */
export function readText(texts: Texts | undefined, language: string): string {
  return texts?.[keyFor(texts, language)]?.join('\n') ?? '';
}

/** Return a title on one line. */
export function readTitle(record: { label: Texts; identifier: string }): string {
  return readText(record.label, languageOf(record)).replaceAll('\n', ' ') || record.identifier;
}

/** Return the texts with another text in this language; an empty one is taken out. */
export function writeText(texts: Texts | undefined, language: string, text: string, isList = false): Texts {
  const written = { ...texts };
  const key = keyFor(texts, language);
  const values = isList ? text.split('\n').map((line) => line.trim()).filter(Boolean) : [text].filter((one) => one.trim());
  if (values.length) {
    written[key] = values;
  } else {
    delete written[key];
  }
  return written;
}

/** Return a property of texts for a record: undefined for one without any. */
export function orNothing(texts: Texts): Texts | undefined {
  return Object.keys(texts).length ? texts : undefined;
}

/** Return where a pair of this label is among the metadata; -1 if it is not. */
export function findStatement(metadata: readonly Statement[] | undefined, label: string): number {
  return (metadata ?? []).findIndex((pair) => Object.values(pair.label).some((texts) => texts[0] === label));
}
