// What can be done with one image: its file, its identifier, who may see it, and taking it off.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Refused } from '../api/client';
import {
  type AccessRecord,
  type ImageRecord,
  addRedirect,
  getAccess,
  getImage,
  listRedirects,
  makeLink,
  putAccess,
  renameRecord,
  restoreImage,
  withdrawImage
} from '../api/operations';
import type { ObjectRecord } from '../records/types';
import { explain, formatTime, words as w } from '../words';
import { AccessRule } from './access-rule';
import { Action } from './action';
import { TextField } from './fields';
import { MissingImage } from './missing-image';
import { NewFile } from './new-file';

export function ImagePanels({ image, object }: { image: string; object: ObjectRecord }): JSX.Element {
  const [record, setRecord] = useState<ImageRecord | null>(null);
  const [failed, setFailed] = useState<unknown>(null);
  const load = async (): Promise<void> => {
    try {
      setRecord((await getImage(image)).body);
      setFailed(null);
    } catch (error) {
      setFailed(error);
    }
  };
  useEffect(() => void load(), [image]);
  if (failed instanceof Refused && failed.code === 'no-image') {
    return <MissingImage image={image} record={object} onPublished={() => void load()} />;
  }
  if (failed) {
    return <p>{explain(failed)}</p>;
  }
  if (!record) {
    return <p role="status">{w.loading}</p>;
  }
  return (
    <>
      <p class="note">{w.image.states[record.state](record)}</p>
      {record.state === 'gone' && <RestoreImage image={image} />}
      {record.state === 'live' && (
        <>
          <ReplaceImage record={record} onDone={load} />
          <ImageAccess image={image} />
          <ShareImage record={record} />
          <RenameImage image={image} />
          <RedirectToImage image={image} />
          <WithdrawImage record={record} onDone={load} />
        </>
      )}
    </>
  );
}

function RestoreImage({ image }: { image: string }): JSX.Element {
  const restore = async (): Promise<string> => {
    await restoreImage(image);
    return w.image.restoring;
  };
  return (
    <section>
      <h3>{w.image.restore}</h3>
      <p>{w.image.restoreAbout}</p>
      <Action act={restore}>{w.image.restore}</Action>
    </section>
  );
}

function ReplaceImage({ record, onDone }: { record: ImageRecord; onDone: () => Promise<void> }): JSX.Element {
  return (
    <section>
      <h3>{w.image.replace}</h3>
      <NewFile
        image={record.identifier}
        masterKey={(extension) => record.master_key ?? record.identifier + extension}
        onPublished={() => void onDone()}
      >
        {w.image.replaceAbout}
      </NewFile>
    </section>
  );
}

function ImageAccess({ image }: { image: string }): JSX.Element {
  const [found, setFound] = useState<AccessRecord | null>(null);
  const [rule, setRule] = useState('');
  useEffect(() => {
    void getAccess(image).then(({ body }) => {
      setFound(body);
      setRule(body.is_own ? body.access : '');
    }, () => undefined);
  }, [image]);
  const set = async (): Promise<string> => {
    const body = await setRuleOver(image, rule || 'inherited', found);
    setFound(body);
    return w.access.done(body.access);
  };
  return (
    <section>
      <h3>{w.access.ofImage}</h3>
      {!found && <p role="status">{w.loading}</p>}
      {found && (
        <>
          <p class="note">{w.access.now(found)}</p>
          <AccessRule value={rule} nothing={w.access.inherited} onChange={setRule} />
          <p>{w.access.about}</p>
          <Action act={set}>{w.access.set}</Action>
        </>
      )}
    </section>
  );
}

const ATTEMPTS = 4;

/** Set a rule in the place of the one that was read, also if the image has got a new file since. */
async function setRuleOver(image: string, rule: string, read: AccessRecord | null): Promise<AccessRecord> {
  for (let attempt = 1; ; attempt++) {
    const { body: fresh } = await getAccess(image);
    if (fresh.access !== read?.access || fresh.is_own !== read.is_own) {
      throw new Error(w.access.changed);
    }
    try {
      return (await putAccess(image, rule, fresh.revision)).body;
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'revision-changed') || attempt === ATTEMPTS) {
        throw error;
      }
    }
  }
}

function ShareImage({ record }: { record: ImageRecord }): JSX.Element | null {
  const [link, setLink] = useState('');
  const [days, setDays] = useState('30');
  if (!record.access || record.access === 'open') {
    return null;
  }
  const share = async (): Promise<string> => {
    const { body } = await makeLink(record.identifier, Number(days));
    setLink(body.picture);
    return w.share.until(formatTime(body.expires_at));
  };
  return (
    <section>
      <h3>{w.share.title}</h3>
      <p>{w.share.about}</p>
      <TextField label={w.share.days} value={days} onChange={(text) => setDays(text.replace(/\D/g, ''))} />
      <Action act={share} disabled={!Number(days)}>
        {w.share.now}
      </Action>
      {link && <TextField label={w.share.link} value={link} onChange={() => undefined} />}
    </section>
  );
}

function RenameImage({ image }: { image: string }): JSX.Element {
  const [to, setTo] = useState('');
  const rename = async (): Promise<string> => {
    await renameRecord('image', image, to.trim());
    return w.image.renamed(to.trim());
  };
  return (
    <section>
      <h3>{w.image.rename}</h3>
      <p>{w.image.renameAbout}</p>
      <TextField label={w.rename.to} value={to} onChange={setTo} />
      <Action act={rename} disabled={!to.trim()}>
        {w.rename.now}
      </Action>
    </section>
  );
}

/** Earlier identifiers of an image, such as those of a former system, whose addresses lead here. */
function RedirectToImage({ image }: { image: string }): JSX.Element {
  const [old, setOld] = useState('');
  const [known, setKnown] = useState<readonly string[]>([]);
  const load = async (): Promise<void> => {
    const { body } = await listRedirects(image);
    setKnown(body.redirects.map((one) => one.identifier).sort());
  };
  useEffect(() => void load().catch(() => undefined), [image]);
  const add = async (): Promise<string> => {
    await addRedirect(old.trim(), image);
    setOld('');
    await load();
    return w.image.redirected;
  };
  return (
    <section>
      <h3>{w.image.redirect}</h3>
      <p>{w.image.redirectAbout}</p>
      {known.length > 0 && <p class="note">{w.image.redirects(known.join(', '))}</p>}
      <TextField label={w.image.redirectOld} value={old} onChange={setOld} />
      <Action act={add} disabled={!old.trim()}>
        {w.image.redirectNow}
      </Action>
    </section>
  );
}

function WithdrawImage({ record, onDone }: { record: ImageRecord; onDone: () => Promise<void> }): JSX.Element {
  const [reason, setReason] = useState('');
  const withdraw = async (): Promise<void> => {
    const { body: fresh } = await getImage(record.identifier);
    await withdrawImage(record.identifier, reason, fresh.revision);
    await onDone();
  };
  return (
    <section>
      <h3>{w.image.withdraw}</h3>
      <p>{w.image.withdrawAbout}</p>
      <TextField label={w.withdraw.reason} note={w.withdraw.reasonNote} value={reason} onChange={setReason} />
      <Action act={withdraw} kind="danger" disabled={!reason.trim()}>
        {w.image.withdraw}
      </Action>
    </section>
  );
}
