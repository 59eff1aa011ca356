import { groupBy } from '~/ui/groupBy';

/** Where the bars of a node lie: jobs that share it are above each other. Pure, so that it is specified without a canvas. */
interface Placed {
  row: string;
  from: number;
  until: number | null;
  kind: string;
}

export interface Lanes<B extends Placed> {
  /** How many bars are above each other. */
  count: number;
  laid: readonly { bar: B; lane: number }[];
  /** What holds for the whole node, behind its bars. */
  behind: readonly B[];
}

/** The first lane that is free again takes the next bar. */
export function inLanes<B extends Placed>(bars: readonly B[]): Map<string, Lanes<B>> {
  const lanes = new Map<string, Lanes<B>>();
  for (const [row, all] of groupBy(bars, (bar) => bar.row)) {
    const ends: number[] = [];
    const laid = all
      .filter((bar) => bar.kind !== 'reservation')
      .sort((a, b) => a.from - b.from)
      .map((bar) => {
        const free = ends.findIndex((end) => end <= bar.from + 1000);
        const lane = free === -1 ? ends.length : free;
        ends[lane] = bar.until ?? Number.POSITIVE_INFINITY;
        return { bar, lane };
      });
    lanes.set(row, {
      count: Math.max(1, ends.length),
      laid,
      behind: all.filter((bar) => bar.kind === 'reservation'),
    });
  }
  return lanes;
}

/** Few lanes are high enough for words; many share what a row may take. */
export function laneHeight(count: number): number {
  return count <= 6 ? 17 : Math.max(4, Math.floor(102 / count));
}
