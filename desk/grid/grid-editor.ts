// What is selected in the table, what is typed, and what keys, mouse and clipboard do there.
import { computed, signal } from '@preact/signals';
import { faultsAt, trial } from '../records/checks';
import { currentRecord, editRecords } from '../records/drafts';
import type { AnyRecord } from '../records/types';
import { type Target, goTo } from '../route';
import { words as w } from '../words';
import type { Column } from './columns';
import { parseTsv, writeTsv } from './tsv';

export interface Cell {
  row: number;
  /** 0 is the row's head. */
  column: number;
}

const PAGE_ROWS = 10;
const FIRST: Cell = { row: 0, column: 1 };

export class GridEditor {
  /** The cell that has the focus, or will have it. */
  readonly active = signal(FIRST);
  /** The text that is typed into it, null for none: `type` sets it. */
  readonly typed = signal<string | null>(null);
  readonly said = signal('');
  /** What of the last paste did not fit; '' if all of it did. */
  readonly lost = signal('');
  /** True if the next cell that is drawn gets the focus. */
  focusNext = false;
  records: readonly AnyRecord[] = [];
  columns: readonly Column[] = [];
  private readonly anchor = signal(FIRST);
  private readonly undone: AnyRecord[][] = [];

  readonly area = computed(() => {
    const [one, other] = [this.anchor.value, this.active.value];
    return {
      top: Math.min(one.row, other.row),
      bottom: Math.max(one.row, other.row),
      left: Math.min(one.column, other.column),
      right: Math.max(one.column, other.column)
    };
  });

  /** The column of the active cell; undefined for the row's head. */
  get column(): Column | undefined {
    return this.columns[this.active.value.column - 1];
  }

  get record(): AnyRecord | undefined {
    return this.records[this.active.value.row];
  }

  moveTo(cell: Cell, extend = false): void {
    const row = Math.max(0, Math.min(this.records.length - 1, cell.row));
    const column = Math.max(0, Math.min(this.columns.length, cell.column));
    this.active.value = { row, column };
    if (!extend) {
      this.anchor.value = this.active.value;
    }
    this.said.value = '';
    this.lost.value = '';
  }

  /** Move to the cell of a place in a record, or to its row; return false if it is not there. */
  moveToTarget({ identifier, place }: Target): boolean {
    const row = this.records.findIndex((record) => record.identifier === identifier);
    const record = this.records[row];
    if (!record) {
      return false;
    }
    const fault = { place, reason: '' };
    const column = this.columns.findIndex((one) => faultsAt([fault], one.place(record)).length) + 1;
    this.focusNext = true;
    this.moveTo({ row, column });
    return true;
  }

  /** Begin to type into the active cell, or open the object whose head it is. */
  begin(text?: string): void {
    const { record, column } = this;
    if (record && column) {
      this.type(text ?? column.read(record));
    } else if (record) {
      goTo(record.type === 'object' ? 'objects' : 'collections', record.identifier);
    }
  }

  /** Note what is typed, null for nothing any more, and have the record checked with it. */
  type(text: string | null): void {
    const { record, column } = this;
    this.typed.value = text;
    trial.value = text !== null && record && column && text !== column.read(record) ? column.write(record, text) : null;
  }

  /** Write what was typed, and move on. */
  finish(rows = 0, across = 0): void {
    const written = trial.value;
    if (written && this.typed.value !== null) {
      this.write([written]);
    }
    this.type(null);
    if (rows || across) {
      const { row, column: place } = this.active.value;
      this.moveTo({ row: row + rows, column: place + across });
    }
  }

  readonly onKeyDown = (event: KeyboardEvent): void => {
    this.focusNext = true;
    const isDone = this.typed.value === null ? this.navigate(event) : this.endTyping(event);
    if (isDone) {
      event.preventDefault();
    }
  };

  readonly onFocusIn = (event: FocusEvent): void => {
    const cell = cellAt(event.target);
    if (cell && !isSameCell(cell, this.active.value)) {
      this.moveTo(cell);
    }
  };

  readonly onMouseDown = (event: MouseEvent): void => {
    const cell = cellAt(event.target);
    if (!cell) {
      return;
    }
    this.focusNext = true;
    const isAgain = isSameCell(cell, this.active.value) && !event.shiftKey;
    this.finish();
    this.moveTo(cell, event.shiftKey);
    const isInside = (event.currentTarget as Element).contains(document.activeElement);
    if (isAgain && isInside && this.column) {
      this.begin();
      event.preventDefault();
    }
  };

  readonly onCopy = (event: ClipboardEvent): void => {
    if (this.typed.value === null) {
      const { left, right } = this.area.value;
      const rows = this.chosenRecords().map((record) =>
        [record.identifier, ...this.columns.map((column) => column.read(record))].slice(left, right + 1)
      );
      event.clipboardData?.setData('text/plain', writeTsv(rows));
      event.preventDefault();
      this.said.value = w.grid.copied(rows.length * (right - left + 1));
    }
  };

  readonly onPaste = (event: ClipboardEvent): void => {
    if (this.typed.value === null) {
      event.preventDefault();
      const { top, left } = this.area.value;
      const rows = parseTsv(event.clipboardData?.getData('text/plain') ?? '');
      const columns = this.columns.slice(Math.max(0, left - 1));
      const changed = this.records
        .slice(top, top + rows.length)
        .map((record, number) =>
          (rows[number] ?? []).reduce((one, text, place) => columns[place]?.write(one, text) ?? one, record)
        );
      this.write(changed);
      const rowsLeft = rows.length - changed.length;
      const columnsLeft = Math.max(...rows.map((row) => row.length)) - columns.length;
      this.said.value = w.grid.pasted(changed.length);
      this.lost.value = [rowsLeft > 0 && w.grid.rowsLeft(rowsLeft), columnsLeft > 0 && w.grid.columnsLeft(columnsLeft)].filter(Boolean).join(' ');
    }
  };

  private chosenRecords(): readonly AnyRecord[] {
    const { top, bottom } = this.area.value;
    return this.records.slice(top, bottom + 1);
  }

  private write(changed: readonly AnyRecord[]): void {
    this.undone.push(changed.flatMap((record) => currentRecord(record.identifier) ?? []));
    editRecords(...changed);
  }

  private clear(): void {
    const { left, right } = this.area.value;
    const columns = this.columns.slice(Math.max(0, left - 1), right);
    this.write(this.chosenRecords().map((record) => columns.reduce((one, column) => column.write(one, ''), record)));
  }

  /** Do what a key does while no cell is typed into; return false for a key that does nothing. */
  private navigate(event: KeyboardEvent): boolean {
    const isCommand = event.ctrlKey || event.metaKey;
    const target = targetOf(event.key, this.active.value, isCommand);
    if (target) {
      this.moveTo(target, event.shiftKey);
    } else if (event.key === 'Enter' || event.key === 'F2') {
      this.begin();
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      this.clear();
    } else if (event.key === 'z' && isCommand) {
      editRecords(...(this.undone.pop() ?? []));
    } else if (event.key.length === 1 && !isCommand && !event.altKey && this.column) {
      this.begin(event.key);
    } else {
      return false;
    }
    return true;
  }

  /** Do what a key does while a cell is typed into; return false for one that types. */
  private endTyping(event: KeyboardEvent): boolean {
    if (event.key === 'Escape') {
      this.type(null);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.isComposing) {
      this.finish(1, 0);
    } else if (event.key === 'Tab') {
      this.finish(0, event.shiftKey ? -1 : 1);
    } else {
      return false;
    }
    return true;
  }
}

/** Return the cell that a key leads to; null if it leads nowhere. */
function targetOf(key: string, { row, column }: Cell, isCommand: boolean): Cell | null {
  const far = isCommand ? Infinity : 1;
  switch (key) {
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
    default:
      return null;
  }
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
