import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useShownTheme } from '~/app/theme';
import { groupBy } from '~/ui/groupBy';
import { clockWords, durationWords, useNow } from '~/ui/Time';
import { cssColour, prepareCanvas, useSize } from '~/ui/useSize';
import { pan, type TimeWindow, ticks, toPixel, toTime, zoom } from './scale';

export interface Bar {
  id: string;
  row: string;
  from: number;
  /** Open ends (no time limit) reach beyond the right edge. */
  until: number | null;
  kind: 'running' | 'planned' | 'reservation' | 'done';
  title: string;
  detail: string;
}

export interface Row {
  id: string;
  group: string;
}

const rowHeight = 22;
const groupHeight = 26;
const axisHeight = 28;
const nameWidth = 132;

interface Line {
  top: number;
  row?: Row;
  group?: string;
}

function layOut(rows: readonly Row[]): { lines: Line[]; height: number } {
  const lines: Line[] = [];
  let top = 0;
  let group = '';
  for (const row of rows) {
    if (row.group !== group) {
      group = row.group;
      lines.push({ top, group });
      top += groupHeight;
    }
    lines.push({ top, row });
    top += rowHeight;
  }
  return { lines, height: top };
}

/** Running jobs solid, planned ones hatched, reservations outlined, and the line of now. Wheel zooms, dragging moves. */
export function Gantt({
  rows,
  bars,
  window: shown,
  onWindow,
  onOpen,
}: {
  rows: readonly Row[];
  bars: readonly Bar[];
  window: TimeWindow;
  onWindow: (window: TimeWindow) => void;
  onOpen: (bar: Bar) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useSize(frame);
  const [top, setTop] = useState(0);
  const [hover, setHover] = useState<{ bar: Bar; x: number; y: number }>();
  const drag = useRef<{ x: number; window: TimeWindow; moved: boolean } | undefined>(undefined);
  const now = useNow();
  const theme = useShownTheme();
  const laidOut = useMemo(() => layOut(rows), [rows]);
  const byRow = useMemo(() => groupBy(bars, (bar) => bar.row), [bars]);
  const plotWidth = Math.max(1, width - nameWidth);

  useEffect(() => {
    const context = canvas.current && prepareCanvas(canvas.current, width, height);
    if (!context || width === 0) return;
    paint(context, { width, height, top, shown, now, lines: laidOut.lines, byRow, hovered: hover?.bar.id });
    // The theme is read from the document while painting.
    void theme;
  }, [width, height, top, shown, now, laidOut, byRow, hover?.bar.id, theme]);

  // React listens to wheels passively, and a passive listener cannot keep the page from scrolling.
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    function wheel(event: WheelEvent) {
      if (!element) return;
      if (event.ctrlKey || event.metaKey || event.altKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          onWindow(pan(shown, (event.deltaX / plotWidth) * (shown.until - shown.from)));
        } else {
          const x = event.clientX - element.getBoundingClientRect().left - nameWidth;
          onWindow(zoom(shown, event.deltaY > 0 ? 1.2 : 1 / 1.2, toTime(x, shown, plotWidth)));
        }
      }
    }
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [shown, onWindow, plotWidth]);

  function find(event: PointerEvent): { bar: Bar; x: number; y: number } | undefined {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return undefined;
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const at = y - axisHeight + top;
    const line = laidOut.lines.findLast((each) => each.top <= at);
    if (!line?.row || x < nameWidth || y < axisHeight) return undefined;
    const time = toTime(x - nameWidth, shown, plotWidth);
    const slack = (3 / plotWidth) * (shown.until - shown.from);
    const bar = byRow
      .get(line.row.id)
      ?.findLast(
        (each) => each.from - slack <= time && time <= (each.until ?? Number.POSITIVE_INFINITY) + slack,
      );
    return bar && { bar, x, y };
  }

  return (
    <div className="relative rounded-lg border border-line bg-surface">
      <div
        className="h-[calc(100dvh-17rem)] min-h-72 overflow-y-auto"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: laidOut.height + axisHeight }}>
          <div
            ref={frame}
            className="sticky top-0 h-[calc(100dvh-17rem)] min-h-72 touch-pan-y select-none"
            onPointerDown={(event) => {
              drag.current = { x: event.clientX, window: shown, moved: false };
              event.currentTarget.setPointerCapture(event.pointerId);
            }}
            onPointerMove={(event) => {
              const held = drag.current;
              if (held) {
                const by = event.clientX - held.x;
                if (Math.abs(by) > 3) held.moved = true;
                if (held.moved) onWindow(pan(held.window, (-by / plotWidth) * (shown.until - shown.from)));
              } else {
                setHover(find(event));
              }
            }}
            onPointerUp={(event) => {
              const clicked = drag.current && !drag.current.moved ? find(event) : undefined;
              drag.current = undefined;
              if (clicked) onOpen(clicked.bar);
            }}
            onPointerLeave={() => setHover(undefined)}
          >
            <canvas
              ref={canvas}
              role="img"
              aria-label="Jobs and reservations by node and time; the table below says the same"
            />
          </div>
        </div>
      </div>
      {hover && (
        <div
          role="status"
          className="pointer-events-none absolute z-10 max-w-72 rounded-lg border border-line bg-raised px-3 py-2 text-xs shadow-(--shadow)"
          style={{ left: Math.min(hover.x + 12, width - 220), top: hover.y + 14 }}
        >
          <p className="font-medium">{hover.bar.title}</p>
          <p className="text-ink-2">{hover.bar.detail}</p>
          <p className="num text-ink-2">
            {clockWords(hover.bar.from, now)} to{' '}
            {hover.bar.until ? clockWords(hover.bar.until, now) : 'no end'}
            {hover.bar.until && ` · ${durationWords((hover.bar.until - hover.bar.from) / 1000)}`}
          </p>
        </div>
      )}
    </div>
  );
}

interface Picture {
  width: number;
  height: number;
  top: number;
  shown: TimeWindow;
  now: number;
  lines: readonly Line[];
  byRow: ReadonlyMap<string, readonly Bar[]>;
  hovered: string | undefined;
}

function paint(context: CanvasRenderingContext2D, picture: Picture) {
  const { width, height, top, shown, now, lines, byRow, hovered } = picture;
  const plotWidth = width - nameWidth;
  const x = (at: number) => nameWidth + toPixel(at, shown, plotWidth);
  const ink = cssColour('ink');
  const faint = cssColour('ink-3');
  const line = cssColour('line');
  context.clearRect(0, 0, width, height);
  context.font = '11px "Inter Variable", sans-serif';
  context.textBaseline = 'middle';

  context.strokeStyle = line;
  context.fillStyle = faint;
  context.lineWidth = 1;
  for (const at of ticks(shown, plotWidth)) {
    const left = Math.round(x(at)) + 0.5;
    context.beginPath();
    context.moveTo(left, axisHeight);
    context.lineTo(left, height);
    context.stroke();
    context.fillText(clockWords(at, now), left + 4, axisHeight / 2);
  }

  context.save();
  context.beginPath();
  context.rect(0, axisHeight, width, height - axisHeight);
  context.clip();
  const hatch = hatching(context, cssColour('pending'));
  const colours = {
    running: cssColour('running'),
    done: cssColour('completed'),
    planned: cssColour('pending'),
    reservation: cssColour('reserved'),
  };
  for (const each of lines) {
    const y = each.top - top + axisHeight;
    if (y > height || y < -groupHeight) continue;
    if (each.group !== undefined) {
      context.fillStyle = cssColour('sunken');
      context.fillRect(0, y, width, groupHeight);
      context.fillStyle = faint;
      context.fillText(each.group, 10, y + groupHeight / 2);
      continue;
    }
    if (!each.row) continue;
    context.strokeStyle = line;
    context.beginPath();
    context.moveTo(0, y + rowHeight - 0.5);
    context.lineTo(width, y + rowHeight - 0.5);
    context.stroke();
    context.save();
    context.beginPath();
    context.rect(nameWidth, y, plotWidth, rowHeight);
    context.clip();
    for (const bar of byRow.get(each.row.id) ?? []) {
      const left = Math.max(nameWidth - 2, x(bar.from));
      const right = Math.min(width + 2, bar.until === null ? width + 2 : x(bar.until));
      if (right < nameWidth || left > width) continue;
      const box = [left + 0.5, y + 3.5, Math.max(2, right - left - 1), rowHeight - 7] as const;
      context.beginPath();
      context.roundRect(...box, 3);
      context.strokeStyle = colours[bar.kind];
      context.lineWidth = bar.id === hovered ? 2 : 1;
      if (bar.kind === 'running' || bar.kind === 'done') {
        context.globalAlpha = bar.id === hovered ? 0.9 : 0.7;
        context.fillStyle = colours[bar.kind];
        context.fill();
        context.globalAlpha = 1;
      } else if (bar.kind === 'planned' && hatch) {
        context.fillStyle = hatch;
        context.fill();
      }
      context.stroke();
      if (box[2] > 46) {
        context.save();
        context.clip();
        context.fillStyle = bar.kind === 'running' || bar.kind === 'done' ? cssColour('surface') : ink;
        context.fillText(bar.title, box[0] + 5, y + rowHeight / 2);
        context.restore();
      }
    }
    context.restore();
    context.fillStyle = ink;
    context.fillText(shorten(context, each.row.id, nameWidth - 16), 10, y + rowHeight / 2);
  }
  context.restore();

  const present = x(now);
  if (present >= nameWidth && present <= width) {
    context.strokeStyle = cssColour('accent');
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(present, axisHeight - 6);
    context.lineTo(present, height);
    context.stroke();
    context.fillStyle = cssColour('accent');
    context.beginPath();
    context.arc(present, axisHeight - 6, 3, 0, 2 * Math.PI);
    context.fill();
  }
}

function hatching(context: CanvasRenderingContext2D, colour: string): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = 6;
  tile.height = 6;
  const pen = tile.getContext('2d');
  if (!pen) return null;
  pen.strokeStyle = colour;
  pen.globalAlpha = 0.45;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const shift of [-6, 0, 6]) {
    pen.moveTo(shift, 6);
    pen.lineTo(shift + 6, 0);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}

function shorten(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  let end = text.length - 1;
  while (end > 1 && context.measureText(`${text.slice(0, end)}…`).width > room) end--;
  return `${text.slice(0, end)}…`;
}
