import { expect, test } from 'vitest';
import { mebibytesOf, minutesOf } from './timeLimit';

test('times are read as sbatch reads them, and seconds make another minute', () => {
  expect(['90', '90:30', '2:00:00', '1-12', '1-12:30', '1-00:00:01', 'soon'].map(minutesOf)).toEqual([
    90,
    91,
    120,
    2160,
    2190,
    1441,
    undefined,
  ]);
});

test('memory without a unit is in mebibytes', () => {
  expect(['16G', '512', '512M', '1T', 'much'].map(mebibytesOf)).toEqual([
    16_384,
    512,
    512,
    1_048_576,
    undefined,
  ]);
});
