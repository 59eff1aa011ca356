import type { GpuPool } from '~/api/sessions';
import { Card } from '~/ui/Card';
import { Meter } from '~/ui/Meter';
import { bytes, count, plural } from '~/ui/numbers';
import { ClockTime } from '~/ui/Time';

/** What there is of one type of GPU: free, used, and away with nodes that are down. */
export function GpuCapacityCard({ pool, nextFree }: { pool: GpuPool; nextFree?: number | undefined }) {
  const away = Math.max(0, pool.total - pool.available - pool.allocated);
  return (
    <Card className="flex flex-col gap-2.5 p-4">
      <div className="flex items-baseline justify-between gap-2">
        <h3 className="font-semibold">{pool.gpu_type.toUpperCase()}</h3>
        {pool.memory_mb > 0 && (
          <span className="text-ink-3 text-xs">{bytes(pool.memory_mb * 2 ** 20)} each</span>
        )}
      </div>
      <p className="num">
        <span className="font-semibold text-lg">{count(pool.available)}</span>{' '}
        <span className="text-ink-2">of {count(pool.total)} free</span>
      </p>
      <Meter
        label={pool.gpu_type}
        whole={pool.total}
        parts={[
          { name: 'in use', value: pool.allocated, colour: 'bg-running-fill' },
          { name: 'away', value: away, colour: 'bg-drained-fill', pattern: true },
        ]}
      />
      <p className="num text-ink-3 text-xs">
        {nextFree ? (
          <>
            next one free by <ClockTime at={nextFree} />
          </>
        ) : (
          `on ${plural(pool.nodes.length, 'node')}${away > 0 ? `, ${count(away)} away` : ''}`
        )}
      </p>
    </Card>
  );
}
