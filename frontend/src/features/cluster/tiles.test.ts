import { expect, test } from 'vitest';
import type { Node } from '~/api/cluster';
import { layOutTiles, sizeFor, tileAt, totalsOf } from './tiles';

function node(name: string, change: Partial<Node> = {}): Node {
  return {
    name,
    state: 'IDLE',
    states: ['IDLE'],
    reason: '',
    partitions: ['gpu'],
    features: [],
    cpus: 64,
    cpus_allocated: 0,
    tres: { 'gres/gpu': 8 },
    tres_allocated: {},
    ...change,
  } as Node;
}

test('nodes are grouped by partition and stand in the order of their numbers', () => {
  const map = layOutTiles(
    [node('c1', { partitions: ['cpu'] }), node('n10'), node('n9')],
    'partition',
    500,
    50,
  );

  expect(map.headings.map((heading) => heading.text)).toEqual(['cpu, 1', 'gpu, 2']);
  expect(map.tiles.map((tile) => tile.node.name)).toEqual(['c1', 'n9', 'n10']);
});

test('what is under the pointer is found, and nothing between tiles', () => {
  const map = layOutTiles([node('n1'), node('n2')], 'partition', 500, 50);
  const first = map.tiles[0];
  if (!first) throw new Error('no tile');

  expect(tileAt(map, first.x + 10, first.y + 10)?.node.name).toBe('n1');
  expect(tileAt(map, first.x + 51, first.y + 10)).toBeUndefined();
});

test('GPUs of nodes that are down are away, unless something still uses them', () => {
  const totals = totalsOf([
    node('n1', { tres_allocated: { 'gres/gpu': 3 } }),
    node('n2', { states: ['DOWN'], tres_allocated: { 'gres/gpu': 2 } }),
  ]);

  expect(totals).toMatchObject({ gpus: 16, gpusUsed: 5, gpusAway: 6 });
});

test('tiles shrink with the number of nodes', () => {
  expect([sizeFor(4), sizeFor(1000), sizeFor(10_000)]).toEqual([88, 24, 11]);
});
