// Title, summary, rights and metadata of an object or a collection, in each language that it has.
import type { JSX } from 'preact';
import { faults, faultsAt } from '../records/checks';
import { RIGHTS } from '../records/rights';
import { languageOf, languagesOf, orNothing, readText, writeText } from '../records/texts';
import type { AnyRecord, Statement, Texts } from '../records/types';
import { languageName, words as w } from '../words';
import { SelectField, TextField } from './fields';

interface DescriptionProps {
  record: AnyRecord;
  onChange: (record: AnyRecord) => void;
}

const CHOICES = new Map([['', w.object.noRights], ...RIGHTS]);

export function DescriptionFields({ record, onChange }: DescriptionProps): JSX.Element {
  const found = faults.value.get(record.identifier);
  const language = languageOf(record);
  return (
    <div class="fields">
      <TextsField
        label={w.object.title}
        texts={record.label}
        language={language}
        faults={faultsAt(found, 'label')}
        onChange={(label) => onChange({ ...record, label })}
      />
      <TextsField
        label={w.object.summary}
        texts={record.summary}
        language={language}
        rows={4}
        faults={faultsAt(found, 'summary')}
        onChange={(summary) => onChange({ ...record, summary: orNothing(summary) })}
      />
      <SelectField
        label={w.object.rights}
        value={record.rights ?? ''}
        options={CHOICES}
        faults={faultsAt(found, 'rights')}
        onChange={(rights) => onChange({ ...record, rights: rights || undefined })}
      />
      <CreditField record={record} onChange={onChange} />
      <MetadataFields record={record} onChange={onChange} />
      {faultsAt(found, '').map((fault) => (
        <p class="fault" key={fault.reason}>
          {fault.reason}
        </p>
      ))}
    </div>
  );
}

function TextsField(props: {
  label: string;
  texts: Texts | undefined;
  language: string;
  rows?: number;
  faults: ReturnType<typeof faultsAt>;
  onChange: (texts: Texts) => void;
}): JSX.Element {
  const languages = languagesOf(props.texts, props.language);
  return (
    <>
      {languages.map((language) => (
        <TextField
          key={language}
          label={languages.length > 1 ? `${props.label}, ${languageName(language)}` : props.label}
          value={readText(props.texts, language)}
          language={language}
          rows={props.rows}
          faults={props.faults}
          onChange={(text) => props.onChange(writeText(props.texts, language, text))}
        />
      ))}
    </>
  );
}

function CreditField({ record, onChange }: DescriptionProps): JSX.Element {
  const language = languageOf(record);
  const credit = record.required_statement;
  const change = (text: string): void => {
    const value = writeText(credit?.value, language, text);
    const label = credit?.label ?? { [language]: [w.object.credit] };
    onChange({ ...record, required_statement: orNothing(value) && { label, value } });
  };
  return (
    <TextField
      label={credit ? readText(credit.label, language) || w.object.credit : w.object.credit}
      note={w.object.creditNote}
      value={readText(credit?.value, language)}
      language={language}
      faults={faultsAt(faults.value.get(record.identifier), 'required_statement')}
      onChange={change}
    />
  );
}

function MetadataFields({ record, onChange }: DescriptionProps): JSX.Element {
  const language = languageOf(record);
  const pairs = record.metadata ?? [];
  const found = faults.value.get(record.identifier);
  const set = (metadata: Statement[]): void => onChange({ ...record, metadata: metadata.length ? metadata : undefined });
  const change = (number: number, pair: Statement): void => set(pairs.map((one, place) => (place === number ? pair : one)));
  return (
    <fieldset class="metadata">
      <legend>{w.object.details}</legend>
      <p class="note">{w.object.detailsNote}</p>
      {pairs.map((pair, number) => {
        const name = readText(pair.label, language);
        return (
          <div class="pair" key={number}>
            <TextField
              label={w.object.pairLabel(number + 1)}
              isObvious
              value={name}
              language={language}
              faults={faultsAt(found, `metadata[${number}].label`)}
              onChange={(text) => change(number, { ...pair, label: writeText(pair.label, language, text) })}
            />
            <TextField
              label={w.object.pairValue(name)}
              isObvious
              value={readText(pair.value, language)}
              language={language}
              rows={Math.max(1, pair.value[language]?.length ?? 1)}
              faults={faultsAt(found, `metadata[${number}].value`)}
              onChange={(text) => change(number, { ...pair, value: writeLines(pair.value, language, text) })}
            />
            <button
              type="button"
              class="small"
              aria-label={w.object.removePair(name)}
              title={w.object.removePair(name)}
              onClick={() => set(pairs.filter((_, place) => place !== number))}
            >
              ×
            </button>
          </div>
        );
      })}
      <button type="button" onClick={() => set([...pairs, { label: { [language]: [''] }, value: { [language]: [''] } }])}>
        {w.object.addPair}
      </button>
    </fieldset>
  );
}

/** As `writeText` writes lines, but a line that is still being typed may end with a space. */
function writeLines(texts: Texts, language: string, text: string): Texts {
  const key = texts[language] ? language : (Object.keys(texts)[0] ?? language);
  return { ...texts, [key]: text.split('\n') };
}
