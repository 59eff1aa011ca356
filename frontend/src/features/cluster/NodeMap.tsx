import { useEffect, useMemo, useRef, useState } from 'react';
import { gpusOf, type Node } from '~/api/cluster';
import { useShownTheme } from '~/app/theme';
import { hatched, nodeWords, type StateLook, stateColour } from '~/ui/states';
import { cssColour, prepareCanvas, useSize } from '~/ui/useSize';
import { type Grouping, layOutTiles, sizeFor, type Tile, type TileMap, tileAt } from './tiles';

/** Every node a tile, its GPUs small cells inside; up to ten thousand on one canvas. */
export function NodeMap({
  nodes,
  by,
  onOpen,
}: {
  nodes: readonly Node[];
  by: Grouping;
  onOpen: (node: Node) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(frame);
  const [hover, setHover] = useState<Tile>();
  const theme = useShownTheme();
  const map = useMemo(() => layOutTiles(nodes, by, width, sizeFor(nodes.length)), [nodes, by, width]);

  useEffect(() => {
    const context = canvas.current && width > 0 && prepareCanvas(canvas.current, width, map.height);
    if (context) paint(context, map, width);
    // The theme is read from the document while painting.
    void theme;
  }, [map, width, theme]);

  function find(event: { clientX: number; clientY: number }): Tile | undefined {
    const box = canvas.current?.getBoundingClientRect();
    return box && tileAt(map, event.clientX - box.left, event.clientY - box.top);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table of nodes is the way for keyboards
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table of nodes is the way for keyboards
    <div
      ref={frame}
      className={`relative w-full ${hover ? 'cursor-pointer' : ''}`}
      onPointerMove={(event) => setHover(find(event))}
      onPointerLeave={() => setHover(undefined)}
      onClick={(event) => {
        const tile = find(event);
        if (tile) onOpen(tile.node);
      }}
    >
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${nodes.length} nodes by state; the page Nodes lists them`}
      />
      {hover && (
        <div
          role="status"
          className="pointer-events-none absolute z-10 w-56 rounded-lg border border-line bg-raised px-3 py-2 text-xs shadow-(--shadow)"
          style={{ left: Math.min(hover.x, Math.max(0, width - 230)), top: hover.y + hover.size + 6 }}
        >
          <p className="font-medium">{hover.node.name}</p>
          <p className="text-ink-2">{nodeWords(hover.node.states)}</p>
          {gpusOf(hover.node.tres) > 0 && (
            <p className="num text-ink-2">
              {gpusOf(hover.node.tres_allocated)} of {gpusOf(hover.node.tres)} GPUs in use
            </p>
          )}
          <p className="num text-ink-2">
            {hover.node.cpus_allocated} of {hover.node.cpus} CPUs in use
          </p>
          {hover.node.reason && <p className="mt-1">{hover.node.reason}</p>}
        </div>
      )}
    </div>
  );
}

function paint(context: CanvasRenderingContext2D, map: TileMap, width: number) {
  const colours = new Map<StateLook, string>();
  const colour = (look: StateLook) => {
    const known = colours.get(look);
    if (known) return known;
    const read = stateColour(look);
    colours.set(look, read);
    return read;
  };
  const empty = cssColour('line');
  context.clearRect(0, 0, width, map.height);
  context.font = '12px "Inter Variable", sans-serif';
  context.textBaseline = 'middle';
  context.fillStyle = cssColour('ink-2');
  for (const heading of map.headings) context.fillText(heading.text, heading.x, heading.y + 11);

  for (const tile of map.tiles) {
    const { x, y, size, node, look } = tile;
    const gpus = gpusOf(node.tres);
    context.strokeStyle = colour(look);
    context.fillStyle = colour(look);
    if (size < 20) {
      context.globalAlpha = look === 'idle' ? 0.3 : 0.85;
      context.fillRect(x, y, size, size);
      context.globalAlpha = 1;
    } else {
      context.globalAlpha = 0.12;
      context.beginPath();
      context.roundRect(x + 0.5, y + 0.5, size - 1, size - 1, 4);
      context.fill();
      context.globalAlpha = 1;
      context.stroke();
      const inUse = gpus > 0 ? gpusOf(node.tres_allocated) : node.cpus_allocated;
      const all = gpus > 0 ? gpus : node.cpus;
      if (size >= 80) paintName(context, tile);
      if (gpus > 0 && gpus <= 16 && size >= 40) paintCells(context, tile, gpus, inUse, colour(look), empty);
      else paintLevel(context, tile, all === 0 ? 0 : inUse / all);
    }
    if (hatched.has(look)) hatch(context, tile);
  }
}

const nameHeight = 16;

function paintName(context: CanvasRenderingContext2D, { x, y, size, node }: Tile) {
  const colour = context.fillStyle;
  context.fillStyle = cssColour('ink-2');
  context.font = '11px "JetBrains Mono Variable", monospace';
  context.fillText(node.name, x + 7, y + nameHeight / 2 + 4, size - 12);
  context.fillStyle = colour;
}

function paintCells(
  context: CanvasRenderingContext2D,
  tile: Tile,
  gpus: number,
  used: number,
  colour: string,
  empty: string,
) {
  const columns = gpus <= 4 ? 2 : 4;
  const rows = Math.ceil(gpus / columns);
  const top = tile.size >= 80 ? nameHeight : 0;
  const room = tile.size - 12;
  const high = room - top;
  const wide = room / columns - 3;
  const tall = Math.min(high / rows - 3, wide * 1.5);
  const first = tile.y + 6 + top + (high - rows * (tall + 3) + 3) / 2;
  for (let i = 0; i < gpus; i++) {
    context.fillStyle = i < used ? colour : empty;
    context.beginPath();
    context.roundRect(
      tile.x + 6 + (i % columns) * (room / columns) + 1.5,
      first + Math.floor(i / columns) * (tall + 3),
      wide,
      tall,
      2,
    );
    context.fill();
  }
}

function paintLevel(context: CanvasRenderingContext2D, tile: Tile, share: number) {
  const top = tile.size >= 80 ? nameHeight + 2 : 0;
  const inset = tile.size >= 40 ? 7 : 2;
  const room = tile.size - 2 * inset;
  const high = room - top;
  const empty = context.globalAlpha;
  context.globalAlpha = empty * 0.18;
  context.fillRect(tile.x + inset, tile.y + inset + top, room, high);
  context.globalAlpha = 0.9;
  context.fillRect(tile.x + inset, tile.y + inset + top + high * (1 - share), room, high * share);
  context.globalAlpha = 1;
}

function hatch(context: CanvasRenderingContext2D, { x, y, size }: Tile) {
  context.save();
  context.beginPath();
  context.rect(x, y, size, size);
  context.clip();
  context.globalAlpha = 0.6;
  context.beginPath();
  for (let offset = -size; offset < size; offset += 5) {
    context.moveTo(x + offset, y + size);
    context.lineTo(x + offset + size, y);
  }
  context.stroke();
  context.restore();
}
