import { expect, test } from 'vitest';
import { taskNumbers } from './waiting';

test('ranges, single tasks and steps are written out, and the limit at once is none of them', () => {
  expect(taskNumbers('1,3,8-14:3%2')).toEqual([1, 3, 8, 11, 14]);
});

test('what is no range is no task', () => {
  expect(taskNumbers('')).toEqual([]);
});
