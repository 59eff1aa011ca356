import { expect, test } from 'vitest';
import type { Node } from '~/api/cluster';
import type { Price } from '~/api/sessions';
import { chargeOf, startOf } from './estimate';

const type = 'gres/gpu:mi300x';

function node(name: string, used: number, change: Partial<Node> = {}): Node {
  return {
    name,
    states: ['MIXED'],
    cpus: 64,
    cpus_allocated: used * 4,
    partitions: ['gpu'],
    tres: { [type]: 8 },
    tres_allocated: { [type]: used },
    ...change,
  } as Node;
}

const wish = { gpuType: 'mi300x', gpuCount: 4, cpus: 8 };

function running(nodes: string, gpus: number, endsAt: string) {
  return {
    nodes,
    node_count: 1,
    cpus: gpus * 4,
    states: ['RUNNING'],
    partition: 'gpu',
    tres: {},
    tres_allocated: { 'gres/gpu': gpus, [type]: gpus },
    ends_at: endsAt,
  };
}

test('what fits on a node that takes jobs starts now', () => {
  expect(startOf(wish, [node('n1', 6), node('n2', 2)], [])).toEqual({ kind: 'now', node: 'n2' });
});

test('room on a drained node is no room', () => {
  const drained = node('n1', 0, { states: ['IDLE', 'DRAIN'] });

  expect(startOf(wish, [drained], [])).toEqual({ kind: 'unknown' });
});

test('a full cluster tells when enough is free on one node at the latest, and who is before', () => {
  const jobs = [
    running('n1', 2, '2026-03-04T13:00:00Z'),
    running('n2', 2, '2026-03-04T14:00:00Z'),
    running('n1', 6, '2026-03-04T15:00:00Z'),
    { ...running('', 8, '2026-03-05T00:00:00Z'), states: ['PENDING'], tres: { 'gres/gpu': 8 } },
    {
      ...running('', 8, '2026-03-05T00:00:00Z'),
      states: ['PENDING'],
      partition: 'other',
      tres: { 'gres/gpu': 8 },
    },
  ];

  expect(startOf(wish, [node('n1', 8), node('n2', 8)], jobs)).toEqual({
    kind: 'later',
    at: Date.parse('2026-03-04T15:00:00Z'),
    ahead: 1,
  });
});

test('a price of the type goes before that of every GPU, and one to come is none yet', () => {
  const price = (resource: string, perHour: string, from: string): Price => ({
    id: resource + from,
    resource,
    per_hour: perHour,
    currency: 'EUR',
    from,
    until: null,
  });
  const prices = [
    price('gpu', '1.00', '2026-01-01T00:00:00Z'),
    price('gpu:mi300x', '2.50', '2026-01-01T00:00:00Z'),
    price('cpu', '0.05', '2027-01-01T00:00:00Z'),
  ];

  expect(chargeOf(wish, 90, prices, Date.parse('2026-03-04T12:00:00Z'))).toEqual({
    perHour: 10,
    total: 15,
    currency: 'EUR',
  });
});
