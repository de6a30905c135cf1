// The images of an object in their order, each with its texts next to it.
import type { JSX } from 'preact';
import { faults, faultsAt } from '../records/checks';
import type { Known } from '../records/drafts';
import { languageOf, orNothing, readText, readTitle, writeText } from '../records/texts';
import type { Canvas, ObjectRecord } from '../records/types';
import { isRejected } from '../uploads/rejections';
import { words as w } from '../words';
import { Panel } from './action';
import { TextField } from './fields';
import { ImagePanels } from './image-panels';
import { MissingImage } from './missing-image';
import { AddImages } from './add-images';
import { Picture } from './picture';

interface CanvasListProps {
  record: ObjectRecord;
  known: Known | undefined;
  onChange: (record: ObjectRecord) => void;
}

export function CanvasList({ record, known, onChange }: CanvasListProps): JSX.Element {
  const set = (canvases: Canvas[]): void => onChange({ ...record, canvases });
  return (
    <>
      <ol class="canvas-list">
        {record.canvases.map((canvas, number) => (
          <CanvasEditor
            key={`${canvas.image ?? canvas.elsewhere?.address}-${number}`}
            record={record}
            known={known}
            canvas={canvas}
            number={number}
            onChange={(changed) => set(record.canvases.map((one, place) => (place === number ? changed : one)))}
            onMove={(step) => set(moved(record.canvases, number, step))}
            onRemove={() => set(record.canvases.filter((_, place) => place !== number))}
          />
        ))}
      </ol>
      <AddImages record={record} onAdd={(images) => set([...record.canvases, ...images.map((image) => ({ image }))])} />
    </>
  );
}

interface CanvasEditorProps {
  record: ObjectRecord;
  known: Known | undefined;
  canvas: Canvas;
  number: number;
  onChange: (canvas: Canvas) => void;
  onMove: (step: number) => void;
  onRemove: () => void;
}

function CanvasEditor({ record, known, canvas, number, onChange, onMove, onRemove }: CanvasEditorProps): JSX.Element {
  const language = languageOf(record);
  const found = faults.value.get(record.identifier);
  const place = `canvases[${number}]`;
  const image = canvas.image ?? '';
  const isThere = Boolean(known) && !known?.missing.includes(image);
  const lacksFile = isRejected(image, known?.missing);
  const alt = readText(canvas.alt_text, language);
  const count = record.canvases.length;
  return (
    <li class="canvas-editor">
      <div class="canvas-picture">
        <Picture image={image} size={400} isThere={isThere} alt={alt || w.object.imageOf(number + 1, readTitle(record))} />
        <p class="note">
          {image || canvas.elsewhere?.address}
          {image && !isThere && ` · ${lacksFile ? w.states.rejected : w.object.notThere}`}
        </p>
      </div>
      <div class="fields">
        <TextField
          label={w.object.altText(number + 1)}
          note={alt ? undefined : w.object.altNote}
          value={alt}
          language={language}
          rows={3}
          faults={faultsAt(found, `${place}.alt_text`)}
          onChange={(text) => onChange({ ...canvas, alt_text: orNothing(writeText(canvas.alt_text, language, text)) })}
        />
        {count > 1 && (
          <TextField
            label={w.object.canvasLabel(number + 1)}
            value={readText(canvas.label, language)}
            language={language}
            faults={faultsAt(found, `${place}.label`)}
            onChange={(text) => onChange({ ...canvas, label: orNothing(writeText(canvas.label, language, text)) })}
          />
        )}
        {faultsAt(found, `${place}.image`).map((fault) => (
          <p class="fault" key={fault.reason}>
            {fault.reason}
          </p>
        ))}
        {lacksFile && <MissingImage image={image} record={record} />}
        {image && !lacksFile && (
          <Panel title={w.image.panel(number + 1)}>{() => <ImagePanels image={image} object={record} />}</Panel>
        )}
        {count > 1 && <CanvasButtons number={number} count={count} onMove={onMove} onRemove={onRemove} />}
      </div>
    </li>
  );
}

function CanvasButtons(props: {
  number: number;
  count: number;
  onMove: (step: number) => void;
  onRemove: () => void;
}): JSX.Element {
  const { number, count, onMove, onRemove } = props;
  const isLast = number === count - 1;
  return (
    <div class="buttons">
      <SmallButton text={w.object.up} name={w.object.moveUp(number + 1)} isOff={number === 0} act={() => onMove(-1)} />
      <SmallButton text={w.object.down} name={w.object.moveDown(number + 1)} isOff={isLast} act={() => onMove(1)} />
      <SmallButton text={w.object.remove} name={w.object.removeImage(number + 1)} act={onRemove} />
    </div>
  );
}

function SmallButton(props: { text: string; name: string; isOff?: boolean; act: () => void }): JSX.Element {
  return (
    <button type="button" class="small" aria-label={props.name} disabled={props.isOff} onClick={props.act}>
      {props.text}
    </button>
  );
}

function moved(canvases: readonly Canvas[], number: number, step: number): Canvas[] {
  const changed = [...canvases];
  const [one] = changed.splice(number, 1);
  if (one) {
    changed.splice(number + step, 0, one);
  }
  return changed;
}
