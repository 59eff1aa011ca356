import { expect, test } from 'vitest';
import { expandHosts } from './hostlist';

test('ranges keep the zeros in front of their numbers', () => {
  expect(expandHosts('gpu[008-010]')).toEqual(['gpu008', 'gpu009', 'gpu010']);
});

test('commas outside brackets separate names, inside they separate ranges', () => {
  expect(expandHosts('a[1-2,5],login')).toEqual(['a1', 'a2', 'a5', 'login']);
});

test('several brackets are all combinations', () => {
  expect(expandHosts('r[1-2]n[1-2]')).toEqual(['r1n1', 'r1n2', 'r2n1', 'r2n2']);
});

test('nothing is no host', () => {
  expect(expandHosts('')).toEqual([]);
});

test('a list without end is cut', () => {
  expect(expandHosts('n[1-9999999]', 100)).toHaveLength(100);
});
