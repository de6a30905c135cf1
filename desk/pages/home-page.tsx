// Where a curator begins: collections, objects by identifier, drafts, and what needs attention.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { caller } from '../api/caller';
import { type Listed, getIdentifiers, listIngests } from '../api/operations';
import { Action } from '../parts/action';
import { TextField } from '../parts/fields';
import { UploadSummary } from '../parts/upload-summary';
import { drafts } from '../records/drafts';
import { findKind } from '../records/kinds';
import { readTitle } from '../records/texts';
import type { Texts } from '../records/types';
import { goTo, pageAddress } from '../route';
import { explain, words as w } from '../words';

interface Entry {
  identifier: string;
  label: Texts;
  line?: string;
  thumbnail?: { id: string };
}

/** What the site's first page lists. */
interface Gallery {
  collections?: Entry[];
  objects?: Entry[];
}

export function HomePage(): JSX.Element {
  const [gallery, setGallery] = useState<Gallery | null>(null);
  useEffect(() => {
    fetch('/gallery.json', { cache: 'no-cache' }).then(
      async (answer) => setGallery(answer.ok ? await answer.json() : {}),
      () => setGallery({})
    );
  }, []);
  return (
    <>
      <h1>{w.home.title}</h1>
      {caller.value?.changes_everything === false && <p>{w.home.mayChange(caller.value.collections)}</p>}
      <UploadSummary />
      <Attention />
      <p>
        <a class="button primary" href={pageAddress('new')}>
          {w.home.create}
        </a>
      </p>
      {gallery ? <Published gallery={gallery} /> : <p role="status">{w.loading}</p>}
    </>
  );
}

/** What is published, and the way to all of it: shown at once, so that nothing moves. */
function Published({ gallery }: { gallery: Gallery }): JSX.Element {
  return (
    <>
      <Cards page="collections" entries={draftCollections(gallery.collections ?? [])} />
      <section aria-labelledby="open-title">
        <h2 id="open-title">{w.home.find}</h2>
        <OpenByIdentifier />
        <AllIdentifiers />
      </section>
      <section aria-labelledby="objects-title">
        <h2 id="objects-title">{w.home.objects}</h2>
        <Cards page="objects" entries={gallery.objects?.slice(0, 12) ?? []} />
      </section>
    </>
  );
}

/** Collections that were published, behind those that are yet to be. */
function draftCollections(published: Entry[]): Entry[] {
  const added = [...drafts.value.values()].filter(({ record, revision }) => record.type === 'collection' && !revision);
  const fresh = added.map(({ record }) => ({ identifier: record.identifier, label: record.label, line: w.states.new }));
  const names = new Set(fresh.map(({ identifier }) => identifier));
  return [...fresh, ...published.filter(({ identifier }) => !names.has(identifier))];
}

function Cards(props: { page: 'collections' | 'objects'; entries: Entry[] }): JSX.Element {
  if (!props.entries.length) {
    return <p class="note">{w.home.none[props.page]}</p>;
  }
  return (
    <ul class="cards">
      {props.entries.map((entry) => (
        <li class="card" key={entry.identifier}>
          <a href={pageAddress(props.page, entry.identifier)}>
            {entry.thumbnail ? (
              <img src={new URL(entry.thumbnail.id, location.origin).pathname} alt="" loading="lazy" onError={hide} />
            ) : (
              <span class="blank" />
            )}
            <span class="title">{readTitle(entry)}</span>
            {entry.line && <span class="note">{entry.line}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Hide the picture of what was withdrawn a moment ago. */
function hide(event: Event): void {
  (event.currentTarget as HTMLImageElement).hidden = true;
}

/** What waits for somebody: drafts, and masters that were rejected. */
function Attention(): JSX.Element | null {
  const [rejected, setRejected] = useState(0);
  useEffect(() => {
    listIngests('rejected').then(({ body }) => setRejected(body.ingests.length), () => undefined);
  }, []);
  const waiting = drafts.value.size;
  if (!rejected && !waiting) {
    return null;
  }
  return (
    <ul class="attention">
      {waiting > 0 && (
        <li>
          <a href={pageAddress('changes')}>{w.home.drafts(waiting)}</a>
        </li>
      )}
      {rejected > 0 && (
        <li>
          <a href={pageAddress('failures')}>{w.home.rejected(rejected)}</a>
        </li>
      )}
    </ul>
  );
}

function OpenByIdentifier(): JSX.Element {
  const [name, setName] = useState('');
  const [failed, setFailed] = useState('');
  const open = async (event: Event): Promise<void> => {
    event.preventDefault();
    setFailed('');
    try {
      await openRecord(name.trim());
    } catch (error) {
      setFailed(explain(error));
    }
  };
  return (
    <form class="in-line" onSubmit={open}>
      <TextField label={w.home.identifier} value={name} onChange={setName} required />
      <button type="submit">{w.home.open}</button>
      <p role="status" class="fault">
        {failed}
      </p>
    </form>
  );
}

/** Open the page of an identifier, be it an object's or a collection's, also of a withdrawn one. */
async function openRecord(name: string): Promise<void> {
  goTo(await findKind(name), name);
}

const ORDER = new Intl.Collator(undefined, { numeric: true });

function AllIdentifiers(): JSX.Element {
  const [found, setFound] = useState<readonly Listed[]>([]);
  const [next, setNext] = useState<string | null>('');
  const load = async (): Promise<void> => {
    const { body } = await getIdentifiers(next ?? '');
    setFound([...found, ...body.objects].sort((one, other) => ORDER.compare(one.identifier, other.identifier)));
    setNext(body.next || null);
  };
  return (
    <>
      {found.length > 0 && (
        <ul class="identifiers">
          {found.map(({ identifier, kind }) => (
            <li key={identifier}>
              <button type="button" class="link" onClick={() => void openRecord(identifier).catch(() => goTo('objects', identifier))}>
                {identifier}
              </button>{' '}
              <span class={kind === 'object' ? 'note' : 'badge'}>{w.kinds[kind]}</span>
            </li>
          ))}
        </ul>
      )}
      {next !== null && <Action act={load}>{found.length ? w.home.more : w.home.all}</Action>}
    </>
  );
}
