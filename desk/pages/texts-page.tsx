// Images of a collection that lack a text, one after the other, with proposals where there are any.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { caller } from '../api/caller';
import { type MissingText, getMissingTexts, getObject, getPublication, proposeText } from '../api/operations';
import { Action } from '../parts/action';
import { TextField } from '../parts/fields';
import { Picture } from '../parts/picture';
import { PublishBar } from '../parts/publish-bar';
import { drafts, draftsOf, editRecords, known, noteKnown } from '../records/drafts';
import { languageOf, orNothing, readText, writeText } from '../records/texts';
import type { ObjectRecord } from '../records/types';
import { pageAddress } from '../route';
import { explain, languageName, words as w } from '../words';

export function TextsPage({ name }: { name: string }): JSX.Element {
  const [found, setFound] = useState<readonly MissingText[]>([]);
  const [next, setNext] = useState<string | null>('');
  const [failed, setFailed] = useState('');
  const load = async (): Promise<void> => {
    const { body } = await getMissingTexts(name, next ?? '');
    await readObjects(body.canvases);
    setFound([...found, ...body.canvases]);
    setNext(body.next || null);
  };
  useEffect(() => {
    load().catch((error) => setFailed(explain(error)));
  }, [name]);
  const missing = found.filter(isMissing);
  return (
    <>
      <p>
        <a href={pageAddress('collections', name)}>{name}</a>
      </p>
      <h1>{w.texts.title}</h1>
      <p>{w.texts.about}</p>
      {failed && <p role="alert">{failed}</p>}
      <p role="status">{!missing.length && !failed && (next === null ? w.texts.none : !found.length && w.loading)}</p>
      <ol class="canvas-list">
        {missing.map((one) => (
          <TextEditor key={`${one.object}-${one.canvas}`} missing={one} />
        ))}
      </ol>
      {next && <Action act={load}>{w.texts.more}</Action>}
      <PublishBar chosen={draftsOf(name)} />
    </>
  );
}

/** Read the records of canvases that are not known yet. */
async function readObjects(missing: readonly MissingText[]): Promise<void> {
  const names = [...new Set(missing.map((one) => one.object))].filter((name) => !known.value.has(name));
  const read = names.map(async (name) => {
    const [{ body: record, revision }, { body }] = await Promise.all([getObject(name), getPublication(name)]);
    return { record, revision, state: body.state, missing: body.missing_images };
  });
  noteKnown(...(await Promise.all(read)));
}

/** Return false once the text that was missing is published. */
function isMissing({ object, canvas, lacks }: MissingText): boolean {
  const record = known.value.get(object)?.record;
  const isWritten = record?.type === 'object' && readText(record.canvases[canvas]?.alt_text, languageOf(record)) !== '';
  return lacks.includes('text') || drafts.value.has(object) || !isWritten;
}

function TextEditor({ missing }: { missing: MissingText }): JSX.Element | null {
  const found = known.value.get(missing.object);
  const record = drafts.value.get(missing.object)?.record ?? found?.record;
  if (record?.type !== 'object' || !record.canvases[missing.canvas]) {
    return null;
  }
  const language = languageOf(record);
  const title = [missing.title, missing.label].map((texts) => readText(texts, language)).filter(Boolean).join(', ');
  const isThere = Boolean(found && !found.missing.includes(missing.image));
  return (
    <li class="canvas-editor">
      <div class="canvas-picture">
        <Picture image={missing.image} size={400} isThere={isThere} alt={title} />
      </div>
      <div class="fields">
        <h2>
          <a href={pageAddress('objects', missing.object)}>{title}</a>
        </h2>
        {missing.lacks.includes('text') && <p class="note">{w.texts.noPageText}</p>}
        {missing.lacks.includes('alt_text') && <AltTextEditor missing={missing} record={record} />}
      </div>
    </li>
  );
}

function AltTextEditor({ missing, record }: { missing: MissingText; record: ObjectRecord }): JSX.Element {
  const [proposal, setProposal] = useState('');
  const language = languageOf(record);
  const write = (text: string): void => editRecords(withAltText(record, missing.canvas, text));
  const propose = async (): Promise<void> => setProposal((await proposeText(missing.image, language)).body.text);
  const accept = (text: string): void => {
    write(text);
    setProposal('');
  };
  return (
    <>
      <TextField
        label={w.texts.altText(languageName(language))}
        note={w.object.altNote}
        value={readText(record.canvases[missing.canvas]?.alt_text, language)}
        language={language}
        rows={3}
        onChange={write}
      />
      {proposal && <Proposal text={proposal} onAccept={accept} onReject={() => setProposal('')} />}
      {!proposal && caller.value?.proposes_texts && <Action act={propose}>{w.texts.propose}</Action>}
    </>
  );
}

/** What a program proposes: it is in no record until somebody has accepted it. */
function Proposal(props: { text: string; onAccept: (text: string) => void; onReject: () => void }): JSX.Element {
  const [text, setText] = useState(props.text);
  return (
    <div class="proposal">
      <TextField label={w.texts.proposal} note={w.texts.proposalNote} value={text} rows={3} onChange={setText} />
      <div class="buttons">
        <button type="button" class="primary" onClick={() => props.onAccept(text)}>
          {w.texts.accept}
        </button>
        <button type="button" onClick={props.onReject}>
          {w.texts.reject}
        </button>
      </div>
    </div>
  );
}

function withAltText(record: ObjectRecord, place: number, text: string): ObjectRecord {
  const canvases = record.canvases.map((canvas, number) =>
    number === place ? { ...canvas, alt_text: orNothing(writeText(canvas.alt_text, languageOf(record), text)) } : canvas
  );
  return { ...record, canvases };
}
