import { expect, test } from 'vitest';
import { inLanes, laneHeight } from './lanes';

const bar = (id: string, from: number, until: number | null, kind = 'running') => ({
  id,
  row: 'n1',
  from: from * 60_000,
  until: until === null ? null : until * 60_000,
  kind,
});

test('jobs that share a node lie above each other, what comes after lies where there is room again', () => {
  const lanes = inLanes([bar('a', 0, 10), bar('b', 5, 20), bar('c', 10, 30)]).get('n1');

  expect(lanes?.count).toBe(2);
  expect(lanes?.laid.map(({ bar: { id }, lane }) => [id, lane])).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 0],
  ]);
});

test('a job without an end keeps its lane', () => {
  expect(inLanes([bar('a', 0, null), bar('b', 50, 60)]).get('n1')?.count).toBe(2);
});

test('a reservation is behind the jobs and takes no lane of theirs', () => {
  const lanes = inLanes([bar('r', 0, 60, 'reservation'), bar('a', 10, 20)]).get('n1');

  expect(lanes?.behind).toHaveLength(1);
  expect(lanes?.laid[0]?.lane).toBe(0);
});

test('a node with many jobs is not higher than a hand', () => {
  expect(laneHeight(2)).toBe(17);
  expect(16 * laneHeight(16)).toBeLessThanOrEqual(102);
});
