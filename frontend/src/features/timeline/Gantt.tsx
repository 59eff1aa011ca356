import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useShownTheme } from '~/app/theme';
import { classes } from '~/ui/classes';
import { clockWords, durationWords, useNow } from '~/ui/Time';
import { cssColour, prepareCanvas, useSize } from '~/ui/useSize';
import { inLanes, type Lanes, laneHeight } from './lanes';
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

const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' });
const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const rowPadding = 5;
const groupHeight = 26;
const axisHeight = 28;
const nameWidth = 132;
const textFont = '11px "Inter Variable", sans-serif';

interface Line {
  top: number;
  height: number;
  row?: Row;
  group?: string;
}

function layOut(
  rows: readonly Row[],
  lanes: ReadonlyMap<string, Lanes<Bar>>,
  alone: boolean,
): { lines: Line[]; height: number } {
  const lines: Line[] = [];
  let top = 0;
  let group = '';
  for (const row of rows) {
    if (row.group !== group && !alone) {
      group = row.group;
      lines.push({ top, height: groupHeight, group });
      top += groupHeight;
    }
    const count = lanes.get(row.id)?.count ?? 1;
    const height = count * laneHeight(count) + 2 * rowPadding;
    lines.push({ top, height, row });
    top += height;
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
  fits = false,
}: {
  rows: readonly Row[];
  bars: readonly Bar[];
  window: TimeWindow;
  onWindow: (window: TimeWindow) => void;
  onOpen: (bar: Bar) => void;
  /** As high as its rows instead of as the window. */
  fits?: boolean;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width, height } = useSize(frame);
  const [top, setTop] = useState(0);
  const [hover, setHover] = useState<{ bar: Bar; x: number; y: number }>();
  const drag = useRef<{ x: number; window: TimeWindow; moved: boolean } | undefined>(undefined);
  const now = useNow();
  const theme = useShownTheme();
  const lanes = useMemo(() => inLanes(bars), [bars]);
  const laidOut = useMemo(() => layOut(rows, lanes, fits), [rows, lanes, fits]);
  const plotWidth = Math.max(1, width - nameWidth);

  useEffect(() => {
    const context = canvas.current && prepareCanvas(canvas.current, width, height);
    if (!context || width === 0) return;
    paint(context, { width, height, top, shown, now, lines: laidOut.lines, lanes, hovered: hover?.bar.id });
    // The theme is read from the document while painting.
    void theme;
  }, [width, height, top, shown, now, laidOut, lanes, hover?.bar.id, theme]);

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
    const here = (each: Bar) =>
      each.from - slack <= time && time <= (each.until ?? Number.POSITIVE_INFINITY) + slack;
    const known = lanes.get(line.row.id);
    if (!known) return undefined;
    const lane = Math.floor((at - line.top - rowPadding) / laneHeight(known.count));
    const bar =
      known.laid.find((each) => each.lane === lane && here(each.bar))?.bar ?? known.behind.find(here);
    return bar && { bar, x, y };
  }

  const high = fits ? { height: laidOut.height + axisHeight } : undefined;
  const filling = fits ? '' : 'h-[calc(100dvh-13rem)] min-h-72';
  return (
    <div className={classes('relative bg-surface', !fits && 'overflow-hidden rounded-lg border border-line')}>
      <div
        className={classes('overflow-y-auto', filling)}
        style={high}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div style={{ height: laidOut.height + axisHeight }}>
          <div
            ref={frame}
            className={classes('sticky top-0 touch-pan-y select-none', filling)}
            style={high}
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
  lanes: ReadonlyMap<string, Lanes<Bar>>;
  hovered: string | undefined;
}

function paint(context: CanvasRenderingContext2D, picture: Picture) {
  const { width, height, top, shown, now, lines, lanes, hovered } = picture;
  const plotWidth = width - nameWidth;
  const x = (at: number) => nameWidth + toPixel(at, shown, plotWidth);
  const ink = cssColour('ink');
  const faint = cssColour('ink-3');
  const line = cssColour('line');
  context.clearRect(0, 0, width, height);
  context.font = textFont;
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
    const date = new Date(at);
    const midnight = date.getHours() === 0 && date.getMinutes() === 0;
    context.fillStyle = midnight ? ink : faint;
    context.fillText(midnight ? dayFormat.format(date) : clockFormat.format(date), left + 4, axisHeight / 2);
  }

  context.save();
  context.beginPath();
  context.rect(0, axisHeight, width, height - axisHeight);
  context.clip();
  const hatch = hatching(context, cssColour('pending-fill'));
  const colours = {
    running: cssColour('running-fill'),
    done: cssColour('completed-fill'),
    planned: cssColour('pending-fill'),
    reservation: cssColour('reserved-fill'),
  };
  const reach = (bar: Bar) =>
    [
      Math.max(nameWidth - 2, x(bar.from)),
      Math.min(width + 2, bar.until === null ? width + 2 : x(bar.until)),
    ] as const;

  function paintReservation(bar: Bar, y: number, high: number) {
    const [left, right] = reach(bar);
    if (right < nameWidth || left > width) return;
    context.fillStyle = colours.reservation;
    context.globalAlpha = bar.id === hovered ? 0.22 : 0.1;
    context.fillRect(left, y + 1, right - left, high - 2);
    context.globalAlpha = 1;
    context.strokeStyle = colours.reservation;
    context.lineWidth = bar.id === hovered ? 2 : 1.25;
    context.strokeRect(left + 0.5, y + 1.5, right - left - 1, high - 4);
    if (right - left > 60) {
      context.fillStyle = colours.reservation;
      context.fillText(bar.title, left + 6, y + high / 2);
    }
  }

  function paintBar(bar: Bar, y: number, thick: number) {
    const [left, right] = reach(bar);
    if (right < nameWidth || left > width) return;
    const gap = thick > 10 ? 1.5 : 0.5;
    const box = [left + 0.5, y + gap, Math.max(2, right - left - 1), thick - 2 * gap] as const;
    const strong = bar.id === hovered;
    context.beginPath();
    context.roundRect(...box, thick > 10 ? 3 : 1);
    if (bar.kind === 'planned') {
      context.fillStyle = cssColour('surface');
      context.fill();
      if (hatch) context.fillStyle = hatch;
      context.fill();
    } else {
      context.globalAlpha = strong ? 1 : 0.82;
      context.fillStyle = colours[bar.kind];
      context.fill();
      context.globalAlpha = 1;
    }
    context.strokeStyle = strong ? ink : colours[bar.kind];
    context.lineWidth = strong ? 1.5 : 1;
    if (bar.kind === 'planned' || strong) context.stroke();
    if (thick >= 14 && box[2] > 40) {
      context.save();
      context.clip();
      if (bar.kind === 'planned') {
        const words = context.measureText(bar.title).width + 8;
        context.fillStyle = cssColour('surface');
        context.fillRect(Math.max(left, nameWidth) + 2, box[1] + 1.5, Math.min(words, box[2]), box[3] - 3);
        context.fillStyle = ink;
      } else {
        context.fillStyle = cssColour('surface');
      }
      context.fillText(bar.title, Math.max(left, nameWidth) + 6, y + thick / 2 + 0.5);
      context.restore();
    }
  }

  for (const each of lines) {
    const y = each.top - top + axisHeight;
    if (y > height || y + each.height < 0) continue;
    if (each.group !== undefined) {
      context.fillStyle = cssColour('sunken');
      context.fillRect(0, y, width, groupHeight);
      context.fillStyle = faint;
      context.fillText(each.group, 12, y + groupHeight / 2);
      continue;
    }
    if (!each.row) continue;
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, Math.round(y + each.height) - 0.5);
    context.lineTo(width, Math.round(y + each.height) - 0.5);
    context.stroke();
    context.save();
    context.beginPath();
    context.rect(nameWidth, y, plotWidth, each.height);
    context.clip();
    const known = lanes.get(each.row.id);
    for (const bar of known?.behind ?? []) paintReservation(bar, y, each.height);
    for (const { bar, lane } of known?.laid ?? []) {
      const thick = laneHeight(known?.count ?? 1);
      paintBar(bar, y + rowPadding + lane * thick, thick);
    }
    context.restore();
    context.fillStyle = ink;
    context.font = '12px "JetBrains Mono Variable", monospace';
    context.fillText(shorten(context, each.row.id, nameWidth - 20), 12, y + each.height / 2);
    context.font = textFont;
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
