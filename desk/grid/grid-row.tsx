// A row of the table. It is drawn again only if something of it has changed.
import { Component, type JSX } from 'preact';
import { Picture } from '../parts/picture';
import { faultsAt, isChecking } from '../records/checks';
import type { Draft, Known } from '../records/drafts';
import { firstImage } from '../records/member-lists';
import { readTitle } from '../records/texts';
import type { AnyRecord, Fault } from '../records/types';
import { pageAddress } from '../route';
import { lacksRejected } from '../uploads/rejections';
import { words as w } from '../words';
import type { Column } from './columns';
import type { GridEditor } from './grid-editor';

export interface RowProps {
  number: number;
  record: AnyRecord;
  known: Known | undefined;
  draft: Draft | undefined;
  faults: readonly Fault[] | undefined;
  columns: readonly Column[];
  /** Column of the cell that has the focus, -1 for none; 0 is the row's head. */
  active: number;
  /** First and last column that are selected. */
  selected: readonly [number, number] | null;
  /** What is typed into the active cell, null for nothing. */
  typed: string | null;
  editor: GridEditor;
}

const MAX_FIELD_ROWS = 6;
const COMPARED = ['number', 'record', 'known', 'draft', 'faults', 'columns', 'active', 'selected', 'typed'] as const;

export class GridRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return COMPARED.some((name) =>
      name === 'selected' ? String(next.selected) !== String(this.props.selected) : next[name] !== this.props[name]
    );
  }

  override render(): JSX.Element {
    const { number, record, columns } = this.props;
    return (
      <tr aria-rowindex={number + 2}>
        <RowHead {...this.props} />
        {columns.map((column, place) => this.renderCell(column, place + 1, record))}
      </tr>
    );
  }

  private renderCell(column: Column, place: number, record: AnyRecord): JSX.Element {
    const { number, active, selected, typed, faults, draft, editor } = this.props;
    const text = column.read(record);
    const wrong = faultsAt(faults, column.place(record));
    const isChanged = draft?.base ? column.read(draft.base) !== text : false;
    const isIn = selected && place >= selected[0] && place <= selected[1];
    const isTyped = active === place && typed !== null;
    const said = wrong.map(({ reason }) => reason).join(' ');
    const faultId = `fault-${number}-${place}`;
    return (
      <td
        key={column.key}
        data-cell={`${number}:${place}`}
        tabIndex={active === place && !isTyped ? 0 : -1}
        class={[isChanged && 'changed', isIn && 'selected', isTyped && 'typed'].filter(Boolean).join(' ')}
        aria-invalid={Boolean(said) || undefined}
        aria-describedby={said ? faultId : undefined}
        aria-selected={Boolean(isIn)}
        aria-colindex={place + 1}
      >
        <span class="cell">{column.isList ? text.split('\n').join('; ') : text}</span>
        {said && !isTyped && (
          <span class="note fault" id={faultId}>
            {said}
          </span>
        )}
        {isTyped && <CellField column={column} text={typed} editor={editor} said={said} faultId={faultId} />}
      </td>
    );
  }
}

interface CellFieldProps {
  column: Column;
  text: string;
  editor: GridEditor;
  /** What is wrong with the text; '' for nothing. */
  said: string;
  faultId: string;
}

function CellField({ column, text, editor, said, faultId }: CellFieldProps): JSX.Element {
  const common = {
    'aria-label': column.name,
    'aria-invalid': Boolean(said) || undefined,
    'aria-describedby': faultId,
    value: text,
    onBlur: () => editor.finish()
  };
  const rows = Math.min(MAX_FIELD_ROWS, Math.max(2, text.split('\n').length));
  return (
    <span class="cell-field">
      {column.list ? (
        <input {...common} list={column.list} onInput={(event) => editor.type(event.currentTarget.value)} />
      ) : (
        <textarea {...common} rows={rows} onInput={(event) => editor.type(event.currentTarget.value)} />
      )}
      <span class="note fault" id={faultId} role="status">
        {said}
      </span>
      <Checking />
    </span>
  );
}

/** Says that what is typed is being checked: to those who see it, since it comes with each key. */
function Checking(): JSX.Element | null {
  return isChecking.value ? (
    <span class="note" aria-hidden="true">
      {w.bar.checking}
    </span>
  ) : null;
}

function RowHead({ number, record, known, draft, active, selected, faults }: RowProps): JSX.Element {
  const image = record.thumbnail || (record.type === 'object' ? firstImage(record) : '');
  const isIn = selected?.[0] === 0;
  const isRejected = lacksRejected(record, known?.missing);
  return (
    <th
      scope="row"
      data-cell={`${number}:0`}
      tabIndex={active === 0 ? 0 : -1}
      aria-selected={isIn}
      aria-colindex={1}
      class={isIn ? 'selected' : ''}
    >
      <a tabIndex={-1} href={pageAddress(record.type === 'object' ? 'objects' : 'collections', record.identifier)}>
        <span class="thumb">
          <Picture image={image} size={160} isThere={Boolean(known && known.state === 'published' && !known.missing.includes(image))} />
        </span>
        <span class="row-name">
          {record.identifier}
          <span class="note">
            {[
              record.type === 'object' && record.canvases.length > 1 && w.grid.images(record.canvases.length),
              !known && w.states.new,
              isRejected && w.states.rejected,
              known && known.state !== 'published' && !isRejected && w.states[known.state],
              draft?.conflict && w.states.conflict,
              faults?.some((fault) => !fault.place) && faults[0]?.reason
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </span>
        <span class="unseen">{readTitle(record)}</span>
      </a>
    </th>
  );
}
