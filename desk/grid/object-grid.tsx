// Objects as a table that is edited like a spreadsheet, with the keyboard alone if one likes.
import type { JSX, TargetedClipboardEvent, TargetedFocusEvent, TargetedKeyboardEvent, TargetedMouseEvent } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { faults } from '../records/checks';
import { currentRecord, drafts, editRecords, known } from '../records/drafts';
import { RIGHTS } from '../records/rights';
import type { AnyRecord } from '../records/types';
import { goTo } from '../route';
import { words as w } from '../words';
import { type Column, columnsOf } from './columns';
import { GridRow } from './grid-row';
import { parseTsv, writeTsv } from './tsv';

interface Cell {
  row: number;
  column: number;
}

interface GridProps {
  identifiers: readonly string[];
  /** Names of columns that somebody added. */
  added: readonly string[];
  label: string;
}

const PAGE_ROWS = 10;

export function ObjectGrid({ identifiers, added, label }: GridProps): JSX.Element {
  const table = useRef<HTMLTableElement>(null);
  const [active, setActive] = useState<Cell>({ row: 0, column: 1 });
  const [anchor, setAnchor] = useState<Cell>({ row: 0, column: 1 });
  const [typed, showTyped] = useState<string | null>(null);
  /** As `typed`, but at once: a field that goes loses the focus, and must not be finished again. */
  const latest = useRef<string | null>(null);
  const [said, setSaid] = useState('');
  /** As `active`, but at once. */
  const place = useRef(active);
  const undone = useRef<AnyRecord[][]>([]);
  /** True if the next cell that is drawn gets the focus. */
  const focusNext = useRef(false);
  const records = identifiers.flatMap((name) => currentRecord(name) ?? []);
  const columns = useStableColumns(columnsOf(records, added));
  const area = selectionOf(anchor, active);

  useLayoutEffect(() => {
    if (focusNext.current) {
      focusNext.current = false;
      const cell = table.current?.querySelector<HTMLElement>(`[data-cell="${active.row}:${active.column}"]`);
      const field = cell?.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea');
      (field ?? cell)?.focus();
      field?.setSelectionRange(field.value.length, field.value.length);
    }
  }, [active, typed === null]);

  const setTyped = (text: string | null): void => {
    latest.current = text;
    showTyped(text);
  };
  const write = (changed: readonly AnyRecord[]): void => {
    const before = changed.flatMap((record) => currentRecord(record.identifier) ?? []);
    undone.current.push(before);
    editRecords(...changed);
  };
  const moveTo = (cell: Cell, extend = false): void => {
    const row = Math.max(0, Math.min(records.length - 1, cell.row));
    const column = Math.max(0, Math.min(columns.length, cell.column));
    place.current = { row, column };
    setActive(place.current);
    if (!extend) {
      setAnchor({ row, column });
    }
    setSaid('');
  };
  const finish = (rows = 0, across = 0): void => {
    const [record, column] = [records[active.row], columns[active.column - 1]];
    const text = latest.current;
    if (text !== null && record && column && text !== column.read(record)) {
      write([column.write(record, text)]);
    }
    setTyped(null);
    if (rows || across) {
      moveTo({ row: active.row + rows, column: active.column + across });
    }
  };
  const begin = (text?: string): void => {
    const [record, column] = [records[active.row], columns[active.column - 1]];
    if (record && column) {
      setTyped(text ?? column.read(record));
    } else if (record) {
      goTo(record.type === 'object' ? 'objects' : 'collections', record.identifier);
    }
  };
  const clear = (): void => {
    const chosen = records.slice(area.top, area.bottom + 1);
    write(chosen.map((record) => columns.slice(Math.max(0, area.left - 1), area.right).reduce((one, column) => column.write(one, ''), record)));
  };
  const undo = (): void => {
    const before = undone.current.pop();
    if (before) {
      editRecords(...before);
    }
  };

  const onKeyDown = (event: TargetedKeyboardEvent<HTMLTableElement>): void => {
    const isCommand = event.ctrlKey || event.metaKey;
    focusNext.current = true;
    const act = typed === null ? navigationOf(event, active, isCommand) : typingOf(event, finish, setTyped);
    if (act === 'begin') {
      begin();
    } else if (act === 'clear') {
      clear();
    } else if (act === 'undo') {
      undo();
    } else if (act === 'replace') {
      begin(event.key);
    } else if (act) {
      if (act !== 'done') {
        moveTo(act, event.shiftKey);
      }
    } else {
      return;
    }
    event.preventDefault();
  };
  const onCopy = (event: TargetedClipboardEvent<HTMLTableElement>): void => {
    if (typed === null) {
      const rows = records.slice(area.top, area.bottom + 1).map((record) => cellsOf(record, columns).slice(area.left, area.right + 1));
      event.clipboardData?.setData('text/plain', writeTsv(rows));
      event.preventDefault();
      setSaid(w.grid.copied(rows.length * (area.right - area.left + 1)));
    }
  };
  const onPaste = (event: TargetedClipboardEvent<HTMLTableElement>): void => {
    if (typed === null) {
      event.preventDefault();
      const rows = parseTsv(event.clipboardData?.getData('text/plain') ?? '');
      const changed = pasteRows(rows, records.slice(area.top), columns.slice(Math.max(0, area.left - 1)));
      write(changed);
      setSaid(w.grid.pasted(changed.length, Math.max(0, rows.length - (records.length - area.top))));
    }
  };
  const onFocusIn = (event: TargetedFocusEvent<HTMLTableElement>): void => {
    const cell = cellAt(event.target);
    if (cell && !isSameCell(cell, place.current)) {
      moveTo(cell);
    }
  };
  const onMouseDown = (event: TargetedMouseEvent<HTMLTableElement>): void => {
    const cell = cellAt(event.target);
    if (!cell) {
      return;
    }
    focusNext.current = true;
    const isAgain = isSameCell(cell, active) && !event.shiftKey;
    if (typed !== null && !isAgain) {
      finish();
    }
    moveTo(cell, event.shiftKey);
    if (isAgain && cell.column > 0 && event.currentTarget.contains(document.activeElement)) {
      begin();
      event.preventDefault();
    }
  };

  const current = records[active.row];
  const wrong = current && columns[active.column - 1] && wrongAt(current, columns[active.column - 1]);
  return (
    <>
      <p class="note" id="grid-keys">
        {w.grid.keys}
      </p>
      <div class="grid-frame">
        <table
          ref={table}
          role="grid"
          class="grid"
          aria-label={label}
          aria-describedby="grid-keys"
          aria-multiselectable="true"
          aria-rowcount={records.length + 1}
          onKeyDown={onKeyDown}
          onCopy={onCopy}
          onPaste={onPaste}
          onMouseDown={onMouseDown}
          onFocusIn={onFocusIn}
        >
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
          <tbody>
            {records.map((record, number) => (
              <GridRow
                key={record.identifier}
                number={number}
                record={record}
                known={known.value.get(record.identifier)}
                draft={drafts.value.get(record.identifier)}
                faults={faults.value.get(record.identifier)}
                columns={columns}
                active={active.row === number ? active.column : -1}
                selected={number >= area.top && number <= area.bottom ? [area.left, area.right] : null}
                typed={active.row === number ? typed : null}
                onType={setTyped}
                onLeave={() => finish()}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p role="status" class={wrong ? 'fault grid-said' : 'grid-said'}>
        {wrong || said}
      </p>
      <datalist id="rights-list">
        {[...RIGHTS.values()].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}

/** Return the cell of an element; null for none, and for a field within one. */
function cellAt(target: EventTarget | null): Cell | null {
  const element = target as Element;
  const [row, column] = element.closest('[data-cell]')?.getAttribute('data-cell')?.split(':').map(Number) ?? [];
  return row === undefined || column === undefined || element.closest('input, textarea') ? null : { row, column };
}

function isSameCell(one: Cell, other: Cell): boolean {
  return one.row === other.row && one.column === other.column;
}

/** Return the columns that were drawn before, for as long as they are called the same. */
function useStableColumns(columns: Column[]): Column[] {
  const stable = useRef(columns);
  if (stable.current.map(({ key }) => key).join('\n') !== columns.map(({ key }) => key).join('\n')) {
    stable.current = columns;
  }
  return stable.current;
}

function selectionOf(anchor: Cell, active: Cell): { top: number; bottom: number; left: number; right: number } {
  return {
    top: Math.min(anchor.row, active.row),
    bottom: Math.max(anchor.row, active.row),
    left: Math.min(anchor.column, active.column),
    right: Math.max(anchor.column, active.column)
  };
}

type Act = Cell | 'begin' | 'replace' | 'clear' | 'undo' | 'done' | null;

/** Return what a key does while no cell is typed into. */
function navigationOf(event: KeyboardEvent, { row, column }: Cell, isCommand: boolean): Act {
  const far = isCommand ? Infinity : 1;
  switch (event.key) {
    case 'ArrowUp':
      return { row: row - far, column };
    case 'ArrowDown':
      return { row: row + far, column };
    case 'ArrowLeft':
      return { row, column: column - far };
    case 'ArrowRight':
      return { row, column: column + far };
    case 'PageUp':
      return { row: row - PAGE_ROWS, column };
    case 'PageDown':
      return { row: row + PAGE_ROWS, column };
    case 'Home':
      return { row: isCommand ? 0 : row, column: 0 };
    case 'End':
      return { row: isCommand ? Infinity : row, column: Infinity };
    case 'Enter':
    case 'F2':
      return 'begin';
    case 'Delete':
    case 'Backspace':
      return 'clear';
    case 'z':
      return isCommand ? 'undo' : 'replace';
    default:
      return event.key.length === 1 && !isCommand && !event.altKey ? 'replace' : null;
  }
}

/** Do what a key does while a cell is typed into. */
function typingOf(event: KeyboardEvent, finish: (rows: number, across: number) => void, setTyped: (text: null) => void): Act {
  if (event.key === 'Escape') {
    setTyped(null);
  } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.isComposing) {
    finish(1, 0);
  } else if (event.key === 'Tab') {
    finish(0, event.shiftKey ? -1 : 1);
  } else {
    return null;
  }
  return 'done';
}

function cellsOf(record: AnyRecord, columns: readonly Column[]): string[] {
  return [record.identifier, ...columns.map((column) => column.read(record))];
}

/** Return records with rows of cells in them, from the first record and column on. */
function pasteRows(rows: readonly string[][], records: readonly AnyRecord[], columns: readonly Column[]): AnyRecord[] {
  return records.slice(0, rows.length).map((record, number) =>
    (rows[number] ?? []).reduce((one, text, place) => columns[place]?.write(one, text) ?? one, record)
  );
}

/** Return what is wrong with a cell; '' if nothing is. */
function wrongAt(record: AnyRecord, column: Column | undefined): string {
  const path = column?.place(record) ?? '';
  const found = faults.value.get(record.identifier) ?? [];
  return found
    .filter((fault) => fault.place === path || fault.place.startsWith(`${path}.`))
    .map((fault) => fault.reason)
    .join(' ');
}
