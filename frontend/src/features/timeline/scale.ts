/** A window of time on an axis of pixels. Pure, so that zoom and pan are specified without a canvas. */
export interface TimeWindow {
  from: number;
  until: number;
}

export const shortest = 60_000;
export const longest = 60 * 86_400_000;

export function toPixel(at: number, window: TimeWindow, width: number): number {
  return ((at - window.from) / (window.until - window.from)) * width;
}

export function toTime(pixel: number, window: TimeWindow, width: number): number {
  return window.from + (pixel / width) * (window.until - window.from);
}

/** What is under the pointer stays under the pointer. */
export function zoom(window: TimeWindow, factor: number, around: number): TimeWindow {
  const length = Math.min(longest, Math.max(shortest, (window.until - window.from) * factor));
  const share = (around - window.from) / (window.until - window.from);
  const from = around - length * share;
  return { from, until: from + length };
}

export function pan(window: TimeWindow, by: number): TimeWindow {
  return { from: window.from + by, until: window.until + by };
}

const steps = [
  60_000,
  5 * 60_000,
  15 * 60_000,
  30 * 60_000,
  3_600_000,
  3 * 3_600_000,
  6 * 3_600_000,
  12 * 3_600_000,
  86_400_000,
  7 * 86_400_000,
];

/** Moments for grid lines, at round times of the viewer's clock, some 90 pixels apart. */
export function ticks(window: TimeWindow, width: number): number[] {
  const wanted = ((window.until - window.from) / Math.max(1, width)) * 90;
  const step = steps.find((each) => each >= wanted) ?? 7 * 86_400_000;
  const zone = new Date(window.from).getTimezoneOffset() * 60_000;
  const first = Math.ceil((window.from - zone) / step) * step + zone;
  const moments: number[] = [];
  for (let at = first; at < window.until; at += step) moments.push(at);
  return moments;
}
