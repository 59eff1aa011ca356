import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { classes } from './classes';

export interface Column<Row> {
  id: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** CSS grid track. */
  width: string;
  numeric?: boolean;
  /** The name by which the server sorts; without it the column does not sort. */
  sort?: string;
  /** Left out on narrow screens. */
  wideOnly?: boolean;
}

export interface Sorting {
  by: string;
  descending: boolean;
}

interface Props<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** All rows there are, when the server has more than are here. */
  total?: number | undefined;
  sorting?: Sorting | undefined;
  onSort?: ((sorting: Sorting) => void) | undefined;
  onOpen?: ((row: Row) => void) | undefined;
  selected?: ReadonlySet<string> | undefined;
  onSelect?: ((keys: ReadonlySet<string>) => void) | undefined;
  /** More rows are wanted: the end came into sight. */
  onEnd?: (() => void) | undefined;
  height?: string;
}

const rowHeight = 36;

/** A table of any length: only the rows in sight are in the document. Arrow keys move, Enter opens, Space selects. */
export function DataTable<Row>(props: Props<Row>) {
  const { columns, rows, keyOf, selected, onSelect, onOpen, onEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialRect: { width: 1000, height: 600 },
    onChange: (instance) => {
      const last = instance.getVirtualItems().at(-1);
      if (last && last.index >= rows.length - 20) onEnd?.();
    },
  });
  const tracks = [onSelect ? '36px' : '', ...columns.map((column) => column.width)].filter(Boolean).join(' ');

  function toggle(key: string) {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    onSelect?.(next);
  }

  function keyDown(event: KeyboardEvent<HTMLDivElement>, index: number, row: Row) {
    if (event.target !== event.currentTarget) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      const next = Math.min(rows.length - 1, Math.max(0, index + step));
      virtual.scrollToIndex(next);
      requestAnimationFrame(() =>
        scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus(),
      );
    } else if (event.key === 'Enter' && onOpen) {
      onOpen(row);
    } else if (event.key === ' ' && onSelect) {
      event.preventDefault();
      toggle(keyOf(row));
    }
  }

  return (
    <div
      ref={scroller}
      className="overflow-auto"
      style={{ maxHeight: props.height ?? '70vh' }}
      role="table"
      aria-label={props.label}
      aria-rowcount={(props.total ?? rows.length) + 1}
    >
      <div className="min-w-max md:min-w-0">
        <div role="rowgroup">
          <div
            role="row"
            aria-rowindex={1}
            className="sticky top-0 z-10 grid h-9 items-center gap-x-4 border-line border-b bg-surface px-4 text-ink-3 text-xs"
            style={{ gridTemplateColumns: tracks }}
          >
            {onSelect && (
              <span role="columnheader" className="flex items-center">
                <input
                  type="checkbox"
                  aria-label="Select all that are loaded"
                  className="size-4 accent-(--accent)"
                  checked={rows.length > 0 && selected?.size === rows.length}
                  onChange={(event) => onSelect(event.target.checked ? new Set(rows.map(keyOf)) : new Set())}
                />
              </span>
            )}
            {columns.map((column) => (
              <Heading key={column.id} column={column} sorting={props.sorting} onSort={props.onSort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="num relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const key = keyOf(row);
            return (
              <div
                key={key}
                role="row"
                tabIndex={0}
                data-index={item.index}
                aria-rowindex={item.index + 2}
                aria-selected={selected?.has(key)}
                onKeyDown={(event) => keyDown(event, item.index, row)}
                onClick={onOpen && ((event) => isPlain(event.target) && onOpen(row))}
                className={classes(
                  'absolute inset-x-0 grid items-center gap-x-4 border-line border-b px-4',
                  onOpen && 'cursor-pointer hover:bg-sunken',
                  selected?.has(key) && 'bg-accent/10',
                )}
                style={{
                  gridTemplateColumns: tracks,
                  height: rowHeight,
                  transform: `translateY(${item.start}px)`,
                }}
              >
                {onSelect && (
                  <span role="cell" className="flex items-center">
                    <input
                      type="checkbox"
                      aria-label={`Select ${key}`}
                      className="size-4 accent-(--accent)"
                      checked={selected?.has(key) ?? false}
                      onChange={() => toggle(key)}
                    />
                  </span>
                )}
                {columns.map((column) => (
                  <span
                    key={column.id}
                    role="cell"
                    className={classes('min-w-0 truncate', column.numeric && 'text-right')}
                  >
                    {column.cell(row)}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** A click on a link or button inside a row is theirs. */
function isPlain(target: EventTarget): boolean {
  return !(target instanceof Element && target.closest('a, button, input, label'));
}

function Heading<Row>({
  column,
  sorting,
  onSort,
}: {
  column: Column<Row>;
  sorting: Sorting | undefined;
  onSort: ((sorting: Sorting) => void) | undefined;
}) {
  const sort = column.sort;
  const sorted = sort !== undefined && sorting?.by === sort;
  const Arrow = sorting?.descending ? ArrowDown : ArrowUp;
  return (
    <span
      role="columnheader"
      aria-sort={sorted ? (sorting.descending ? 'descending' : 'ascending') : undefined}
      className={classes('min-w-0 truncate', column.numeric && 'text-right')}
    >
      {sort && onSort ? (
        <button
          type="button"
          className="inline-flex items-center gap-1 hover:text-ink"
          onClick={() => onSort({ by: sort, descending: sorted ? !sorting.descending : false })}
        >
          {column.title}
          {sorted && <Arrow aria-hidden="true" className="size-3" />}
        </button>
      ) : (
        column.title
      )}
    </span>
  );
}
