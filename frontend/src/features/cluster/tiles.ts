import { gpusOf, type Node } from '~/api/cluster';
import { groupBy } from '~/ui/groupBy';
import { lookOfNode, type StateLook } from '~/ui/states';

/** Where each node is painted. Pure: the canvas only paints, and the pointer only looks up. */
export interface Tile {
  node: Node;
  look: StateLook;
  x: number;
  y: number;
  size: number;
}

export interface Heading {
  text: string;
  x: number;
  y: number;
}

export interface TileMap {
  tiles: readonly Tile[];
  headings: readonly Heading[];
  height: number;
}

export type Grouping = 'partition' | 'rack';

const headingHeight = 26;
const gap = 4;

/** Without a rack in its features a node's rack is its name up to the last number. */
export function groupOf(node: Node, by: Grouping): string {
  if (by === 'partition') return node.partitions[0] ?? 'No partition';
  const rack = node.features.find((feature) => /^rack/i.test(feature));
  return rack ?? node.name.replace(/\d+$/, '');
}

/** Sizes by number: with names, GPUs can be told apart, nodes can be told apart, the whole can be seen. */
export function sizeFor(count: number): number {
  return count <= 64 ? 88 : count <= 300 ? 52 : count <= 1500 ? 24 : 11;
}

export function layOutTiles(nodes: readonly Node[], by: Grouping, width: number, size: number): TileMap {
  const groups = groupBy(nodes, (node) => groupOf(node, by));
  // Partitions stand in the order of the configuration, racks in that of their names.
  const names = [...groups.keys()];
  if (by === 'rack') names.sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
  const inRow = Math.max(1, Math.floor((width + gap) / (size + gap)));
  const tiles: Tile[] = [];
  const headings: Heading[] = [];
  let top = 0;
  for (const name of names) {
    const members = [...(groups.get(name) ?? [])].sort((a, b) =>
      a.name.localeCompare(b.name, undefined, { numeric: true }),
    );
    headings.push({ text: `${name}, ${members.length}`, x: 0, y: top });
    top += headingHeight;
    members.forEach((node, index) => {
      tiles.push({
        node,
        look: lookOfNode(node.states),
        x: (index % inRow) * (size + gap),
        y: top + Math.floor(index / inRow) * (size + gap),
        size,
      });
    });
    top += Math.ceil(members.length / inRow) * (size + gap) + 10;
  }
  return { tiles, headings, height: top };
}

export function tileAt(map: TileMap, x: number, y: number): Tile | undefined {
  return map.tiles.find(
    (tile) => x >= tile.x && x <= tile.x + tile.size && y >= tile.y && y <= tile.y + tile.size,
  );
}

export interface Totals {
  nodes: number;
  cpus: number;
  cpusUsed: number;
  gpus: number;
  gpusUsed: number;
  gpusAway: number;
}

/** What can be used, is used, and is away with nodes that are down or drained. */
export function totalsOf(nodes: readonly Node[]): Totals {
  const totals: Totals = { nodes: nodes.length, cpus: 0, cpusUsed: 0, gpus: 0, gpusUsed: 0, gpusAway: 0 };
  for (const node of nodes) {
    totals.cpus += node.cpus;
    totals.cpusUsed += node.cpus_allocated;
    totals.gpus += gpusOf(node.tres);
    totals.gpusUsed += gpusOf(node.tres_allocated);
    if (['down', 'drained'].includes(lookOfNode(node.states))) {
      totals.gpusAway += gpusOf(node.tres) - gpusOf(node.tres_allocated);
    }
  }
  return totals;
}
