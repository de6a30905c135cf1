// Objects as a table that is edited like a spreadsheet, with the keyboard alone if one likes.
import { useComputed } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { faults } from '../records/checks';
import { currentRecord, drafts, known } from '../records/drafts';
import { RIGHTS } from '../records/rights';
import { forgetTarget, route } from '../route';
import { words as w } from '../words';
import { type Column, columnsOf } from './columns';
import { GridEditor } from './grid-editor';
import { GridRow } from './grid-row';

interface GridProps {
  identifiers: readonly string[];
  /** Names of columns that somebody added. */
  added: readonly string[];
  label: string;
}

export function ObjectGrid({ identifiers, added, label }: GridProps): JSX.Element {
  const editor = useMemo(() => new GridEditor(), []);
  const table = useRef<HTMLTableElement>(null);
  // Not for each key: to find the columns, all records are read.
  editor.records = useMemo(
    () => identifiers.flatMap((name) => currentRecord(name) ?? []),
    [identifiers, drafts.value, known.value]
  );
  editor.columns = useStableColumns(useMemo(() => columnsOf(editor.records, added), [editor.records, added]));
  const isTyped = useComputed(() => editor.typed.value !== null).value;
  const { target } = route.value;
  useEffect(() => {
    if (target && editor.moveToTarget(target)) {
      forgetTarget();
    }
  });
  useLayoutEffect(() => focusActive(table.current, editor), [editor.active.value, isTyped]);
  return (
    <>
      <p class="note" id="grid-keys">
        <span class="for-keys">{w.grid.keys}</span>
        <span class="for-touch">{w.grid.touch}</span>
      </p>
      <p role="status" class="grid-said">
        {editor.said.value} {editor.lost.value && <span class="fault">{editor.lost.value}</span>}
      </p>
      <div class="grid-frame">
        <table
          ref={table}
          role="grid"
          class="grid"
          aria-label={label}
          aria-describedby="grid-keys"
          aria-multiselectable="true"
          aria-rowcount={editor.records.length + 1}
          onKeyDown={editor.onKeyDown}
          onCopy={editor.onCopy}
          onPaste={editor.onPaste}
          onMouseDown={editor.onMouseDown}
          onFocusIn={editor.onFocusIn}
        >
          <Head columns={editor.columns} />
          <Rows editor={editor} />
        </table>
      </div>
      <datalist id="rights-list">
        {[...RIGHTS.values()].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

function Head({ columns }: { columns: readonly Column[] }): JSX.Element {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col">{w.grid.object}</th>
        {columns.map((column) => (
          <th scope="col" key={column.key}>
            {column.name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Rows({ editor }: { editor: GridEditor }): JSX.Element {
  const { top, bottom, left, right } = editor.area.value;
  const { row, column } = editor.active.value;
  return (
    <tbody>
      {editor.records.map((record, number) => (
        <GridRow
          key={record.identifier}
          number={number}
          record={record}
          known={known.value.get(record.identifier)}
          draft={drafts.value.get(record.identifier)}
          faults={faults.value.get(record.identifier)}
          columns={editor.columns}
          active={row === number ? column : -1}
          selected={number >= top && number <= bottom ? [left, right] : null}
          typed={row === number ? editor.typed.value : null}
          editor={editor}
        />
      ))}
    </tbody>
  );
}

/** Return the columns that were drawn before, for as long as they are called the same. */
function useStableColumns(columns: Column[]): Column[] {
  const stable = useRef(columns);
  if (stable.current.map(({ key }) => key).join('\n') !== columns.map(({ key }) => key).join('\n')) {
    stable.current = columns;
  }
  return stable.current;
}

/** Give the focus to the active cell, or to the field in it, after a key or a click. */
function focusActive(table: HTMLTableElement | null, editor: GridEditor): void {
  if (editor.focusNext) {
    editor.focusNext = false;
    const { row, column } = editor.active.value;
    const cell = table?.querySelector<HTMLElement>(`[data-cell="${row}:${column}"]`);
    const field = cell?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
    (field ?? cell)?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }
}
