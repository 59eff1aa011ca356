import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { type ArrayTask, arrayQuery, type PastJob, pastQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { useShownTheme } from '~/app/theme';
import { Card, CardTitle } from '~/ui/Card';
import { Skeleton } from '~/ui/Feedback';
import { groupBy } from '~/ui/groupBy';
import { count } from '~/ui/numbers';
import { StatePill } from '~/ui/StatePill';
import { hatched, lookOfJob, type StateLook, stateColour, stateWords } from '~/ui/states';
import { prepareCanvas, useSize } from '~/ui/useSize';
import { taskNumbers } from './waiting';

interface Cell {
  task: number;
  state: string;
  look: StateLook;
  about: string;
}

/** What is known of every task: from the cluster while it lives, from accounting when it has ended long ago. */
export function cellsOf(tasks: readonly ArrayTask[], past: readonly PastJob[]): Cell[] {
  const cells = new Map<number, Cell>();
  const put = (task: number, state: string, about: string) =>
    cells.set(task, { task, state, look: lookOfJob(state), about });
  for (const record of past) {
    if (record.array_task !== null) put(record.array_task, record.state, record.nodes);
  }
  for (const task of tasks) {
    if (task.array_task !== null) put(task.array_task, task.states[0] ?? task.state, task.nodes);
    for (const number of taskNumbers(task.array_waiting)) put(number, 'PENDING', '');
  }
  return [...cells.values()].sort((a, b) => a.task - b.task);
}

/** An array as a grid of coloured cells, up to many thousands. */
export function ArrayGrid({ array }: { array: number }) {
  const tasks = useQuery(arrayQuery(array));
  const past = useQuery(pastQuery(String(array)));
  const cells = useMemo(() => cellsOf(tasks.data ?? [], past.data ?? []), [tasks.data, past.data]);
  return (
    <Card>
      <CardTitle>Tasks of the array</CardTitle>
      <div className="flex flex-col gap-4 p-4">
        <Loaded query={tasks} skeleton={<Skeleton className="h-24 w-full" />}>
          {() => (
            <>
              <Counts cells={cells} />
              <Grid array={array} cells={cells} />
            </>
          )}
        </Loaded>
      </div>
    </Card>
  );
}

function Counts({ cells }: { cells: readonly Cell[] }) {
  const byState = groupBy(cells, (cell) => cell.state);
  return (
    <ul className="flex flex-wrap gap-2" aria-label="Tasks by state">
      {[...byState].map(([state, those]) => (
        <li key={state}>
          <StatePill look={lookOfJob(state)}>{`${stateWords(state)} ${count(those.length)}`}</StatePill>
        </li>
      ))}
    </ul>
  );
}

function Grid({ array, cells }: { array: number; cells: readonly Cell[] }) {
  const navigate = useNavigate();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(frame);
  const theme = useShownTheme();
  const [hover, setHover] = useState<{ cell: Cell; x: number; y: number }>();
  const side = cells.length <= 600 ? 16 : cells.length <= 3000 ? 11 : 7;
  const pitch = side + (side > 10 ? 3 : 2);
  const inRow = Math.max(1, Math.floor((width + pitch - side) / pitch));
  const height = Math.ceil(cells.length / inRow) * pitch;

  useEffect(() => {
    const context = canvas.current && width > 0 && prepareCanvas(canvas.current, width, height);
    if (!context) return;
    const colours = new Map<StateLook, string>();
    cells.forEach((cell, index) => {
      const colour = colours.get(cell.look) ?? stateColour(cell.look);
      colours.set(cell.look, colour);
      paintCell(context, (index % inRow) * pitch, Math.floor(index / inRow) * pitch, side, cell.look, colour);
    });
    // The theme is read from the document while painting.
    void theme;
  }, [cells, width, height, inRow, pitch, side, theme]);

  function find(event: { clientX: number; clientY: number }) {
    const box = canvas.current?.getBoundingClientRect();
    if (!box) return undefined;
    const x = Math.floor((event.clientX - box.left) / pitch);
    const y = Math.floor((event.clientY - box.top) / pitch);
    const cell = x >= 0 && x < inRow && y >= 0 ? cells[y * inRow + x] : undefined;
    return cell && { cell, x: x * pitch, y: (y + 1) * pitch };
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list of jobs, filtered, is the way for keyboards
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list of jobs, filtered, is the way for keyboards
    <div
      ref={frame}
      className={hover ? 'relative w-full cursor-pointer' : 'relative w-full'}
      onPointerMove={(event) => setHover(find(event))}
      onPointerLeave={() => setHover(undefined)}
      onClick={(event) => {
        const found = find(event);
        if (found) navigate(`/jobs/${array}_${found.cell.task}`);
      }}
    >
      <canvas ref={canvas} role="img" aria-label={`${cells.length} tasks, each a cell with its state`} />
      {hover && (
        <div
          role="status"
          className="pointer-events-none absolute z-10 whitespace-nowrap rounded-lg border border-line bg-raised px-3 py-2 text-xs shadow-(--shadow)"
          style={{ left: Math.min(hover.x, Math.max(0, width - 170)), top: hover.y + 4 }}
        >
          <p className="font-medium font-mono">
            {array}_{hover.cell.task}
          </p>
          <p className="text-ink-2">
            {stateWords(hover.cell.state)}
            {hover.cell.about && ` on ${hover.cell.about}`}
          </p>
        </div>
      )}
    </div>
  );
}

/** States differ in shape, too: waiting is hollow, failed has a cross through it. */
function paintCell(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  side: number,
  look: StateLook,
  colour: string,
) {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = 1;
  if (look === 'pending' || look === 'idle' || look === 'cancelled') {
    context.globalAlpha = 0.15;
    context.fillRect(x, y, side, side);
    context.globalAlpha = 0.8;
    context.strokeRect(x + 0.5, y + 0.5, side - 1, side - 1);
  } else {
    context.globalAlpha = look === 'completed' ? 0.55 : 0.95;
    context.fillRect(x, y, side, side);
  }
  context.globalAlpha = 1;
  if ((look === 'failed' || hatched.has(look)) && side > 8) {
    context.strokeStyle = stateSurface();
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x + 4, y + 4);
    context.lineTo(x + side - 4, y + side - 4);
    context.moveTo(x + side - 4, y + 4);
    context.lineTo(x + 4, y + side - 4);
    context.stroke();
  }
}

function stateSurface(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--surface').trim();
}
