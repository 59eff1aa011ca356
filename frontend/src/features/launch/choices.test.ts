import { expect, test } from 'vitest';
import type { GpuPool } from '~/api/sessions';
import { countChoices, launchLine } from './choices';

const pool: GpuPool = {
  gpu_type: 'mi300x',
  total: 8,
  available: 0,
  allocated: 8,
  memory_mb: 196608,
  nodes: [
    { name: 'n1', total_gpus: 4, available_gpus: 0, state: 'allocated' },
    { name: 'n2', total_gpus: 4, available_gpus: 0, state: 'allocated' },
  ],
};

test('counts that no node can hold are shown with the reason', () => {
  expect(countChoices(pool).map(({ count, because }) => [count, because !== undefined])).toEqual([
    [1, false],
    [2, false],
    [4, false],
    [8, true],
  ]);
});

test('what is in use now can be chosen all the same: it is queued', () => {
  expect(countChoices(pool)[0]).toEqual({ count: 1 });
});

test('names that a shell would take apart are quoted in the command', () => {
  const wish = {
    name: "it's mine",
    gpu_type: 'mi300x',
    gpu_count: 2,
    container_image: '',
    ssh_enabled: false,
    time_limit_min: 60,
  };

  expect(launchLine(wish)).toBe("spur cloud launch --name='it'\\''s mine' --gpu=mi300x:2 --time=60 --no-ssh");
});
