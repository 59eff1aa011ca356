import { useQuery } from '@tanstack/react-query';
import { ChartLine } from 'lucide-react';
import { useMemo } from 'react';
import { Loaded } from '~/api/Loaded';
import { type SessionUsage, sessionUsageQuery } from '~/api/sessions';
import { Card, CardTitle } from '~/ui/Card';
import { EmptyState, Skeleton } from '~/ui/Feedback';
import { Lines } from '~/ui/Lines';
import { amount, bytes } from '~/ui/numbers';

/** What the session uses, over time; all charts share one cursor. */
export default function Metrics({ session, gpus }: { session: string; gpus: number }) {
  const query = useQuery(sessionUsageQuery(session));
  return (
    <Loaded
      query={query}
      skeleton={<Skeleton className="h-64 w-full" />}
      empty={{
        when: (usage) => usage.lines.length < 2,
        show: (
          <Card>
            <EmptyState
              icon={<ChartLine aria-hidden="true" className="size-8" />}
              title="Nothing was measured yet"
              body="The first values come within a minute of its start."
            />
          </Card>
        ),
      }}
    >
      {(usage) => <Charts usage={usage} gpus={gpus} />}
    </Loaded>
  );
}

const cpuWords = (value: number) => `${amount(value)} CPUs`;
const memoryWords = (value: number) => bytes(value);

function Charts({ usage, gpus }: { usage: SessionUsage; gpus: number }) {
  const { at, cpus, memory } = useMemo(
    () => ({
      at: usage.lines.map((line) => Date.parse(line.at) / 1000),
      cpus: usage.lines.map((line) => line.cpus),
      memory: usage.lines.map((line) => line.memory_bytes),
    }),
    [usage.lines],
  );
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <Card>
        <CardTitle>CPU</CardTitle>
        <div className="p-4">
          <Lines
            label="CPUs in use"
            at={at}
            values={cpus}
            limit={usage.cpu_limit}
            words={cpuWords}
            colour="completing-fill"
            cursor="session"
          />
        </div>
      </Card>
      <Card>
        <CardTitle>Memory</CardTitle>
        <div className="p-4">
          <Lines
            label="Memory in use"
            at={at}
            values={memory}
            limit={usage.memory_limit_mb === null ? undefined : usage.memory_limit_mb * 2 ** 20}
            words={memoryWords}
            colour="running-fill"
            cursor="session"
          />
        </div>
      </Card>
      {gpus > 0 && (
        <p className="text-ink-3 text-xs lg:col-span-2">GPUs: {usage.gpu_note || 'not measured here'}.</p>
      )}
    </div>
  );
}
