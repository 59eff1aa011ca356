import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useShownTheme } from '~/app/theme';
import { cssColour, useSize } from './useSize';

interface Props {
  label: string;
  /** Seconds since 1970, as the library counts. */
  at: readonly number[];
  values: readonly (number | null)[];
  /** What is there to be used; the line cannot rise above it. */
  limit: number | undefined;
  words: (value: number) => string;
  colour: string;
  /** Charts with the same word share one cursor. */
  cursor: string;
  bars?: boolean;
}

/** One measured thing over time. */
export function Lines({ label, at, values, limit, words, colour, cursor, bars = false }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const { width } = useSize(frame);
  const theme = useShownTheme();

  useEffect(() => {
    if (!frame.current || width === 0) return;
    const stroke = cssColour(colour);
    const grid = { stroke: cssColour('line'), width: 1 };
    const axis = { stroke: cssColour('ink-3'), grid, ticks: { show: false }, font: '11px Inter Variable' };
    const options: uPlot.Options = {
      width,
      height: 180,
      legend: { show: false },
      cursor: { sync: { key: cursor }, y: false, points: { size: 7 } },
      scales: { y: { range: (_, __, most) => [0, limit ?? Math.max(most * 1.1, 1e-9)] } },
      axes: [axis, { ...axis, size: 74, values: (_, ticks) => ticks.map(words) }],
      series: [
        {},
        {
          label,
          stroke,
          width: 2,
          fill: `color-mix(in oklab, ${stroke} ${bars ? 75 : 12}%, transparent)`,
          points: { show: at.length < 2 },
          ...(bars ? { paths: barPaths() } : {}),
        },
      ],
      hooks: { setCursor: [(plot) => tell(plot, words)] },
    };
    const plot = new uPlot(options, [at as number[], values as (number | null)[]], frame.current);
    // The theme is read from the document while painting.
    void theme;
    return () => plot.destroy();
  }, [width, at, values, limit, label, colour, cursor, words, bars, theme]);

  const last = values.findLast((value) => value !== null);
  return (
    <div className="relative">
      <div
        ref={frame}
        role="img"
        aria-label={`${label} over time${last == null ? '' : `, ${words(last)} last`}`}
        className="h-[180px] w-full"
      />
    </div>
  );
}

function barPaths(): uPlot.Series.PathBuilder {
  const paths = uPlot.paths.bars?.({ size: [0.7, 40] });
  if (!paths) throw new Error('the chart library has no bars');
  return paths;
}

/** The value under the cursor, beside the line. */
function tell(plot: uPlot, words: (value: number) => string) {
  const index = plot.cursor.idx;
  let note = plot.over.querySelector<HTMLElement>('.note');
  if (!note) {
    note = document.createElement('div');
    note.className = 'note num pointer-events-none absolute top-1 right-2 text-ink-2 text-xs';
    plot.over.append(note);
  }
  const value = index == null ? null : plot.data[1]?.[index];
  const at = index == null ? undefined : plot.data[0][index];
  note.textContent =
    value == null || at === undefined
      ? ''
      : `${new Date(at * 1000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })}  ${words(value)}`;
}
