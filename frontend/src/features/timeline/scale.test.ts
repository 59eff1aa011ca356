import { describe, expect, test } from 'vitest';
import { longest, pan, shortest, ticks, toPixel, toTime, zoom } from './scale';

const hour = 3_600_000;
const day = { from: 0, until: 24 * hour };

describe('the axis of the timeline', () => {
  test('a moment and its pixel are found from each other', () => {
    expect(toPixel(6 * hour, day, 1000)).toBe(250);
    expect(toTime(250, day, 1000)).toBe(6 * hour);
  });

  test('zooming keeps what is under the pointer where it is', () => {
    const closer = zoom(day, 0.5, 6 * hour);

    expect(closer.until - closer.from).toBe(12 * hour);
    expect(toPixel(6 * hour, closer, 1000)).toBeCloseTo(250);
  });

  test('zooming ends at a minute and at two months', () => {
    const closest = zoom(day, 1e-9, hour);
    const farthest = zoom(day, 1e9, hour);

    expect(closest.until - closest.from).toBe(shortest);
    expect(farthest.until - farthest.from).toBe(longest);
  });

  test('panning moves both ends', () => {
    expect(pan(day, hour)).toEqual({ from: hour, until: 25 * hour });
  });

  test('grid lines are far enough apart to carry a text', () => {
    const lines = ticks(day, 800);

    expect(lines.length).toBeGreaterThan(3);
    expect(lines.length).toBeLessThan(10);
    expect(new Set(lines.slice(1).map((at, i) => at - (lines[i] ?? 0))).size).toBe(1);
  });
});
