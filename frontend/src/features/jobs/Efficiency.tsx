import { useQuery } from '@tanstack/react-query';
import { type PastJob, pastQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Card, CardTitle } from '~/ui/Card';
import { Skeleton } from '~/ui/Feedback';
import { Meter } from '~/ui/Meter';
import { amount, bytes } from '~/ui/numbers';
import { durationWords } from '~/ui/Time';

interface Share {
  title: string;
  used: number;
  asked: number;
  words: string;
}

/** Asked against used, as `seff` counts it. Undefined where nothing was measured. */
export function sharesOf(job: PastJob): Share[] {
  const shares: Share[] = [];
  const seconds = job.run_seconds;
  const busy = (job.user_micros + job.system_micros) / 1e6;
  if (seconds > 0 && job.cpus > 0 && busy > 0) {
    shares.push({
      title: 'CPU',
      used: busy,
      asked: seconds * job.cpus,
      words: `${amount(busy / seconds)} of ${job.cpus} busy on average`,
    });
  }
  const peak = Math.max(0, ...job.steps.map((step) => step.max_rss_kb));
  const asked = (job.tres.mem ?? 0) / Math.max(1, job.node_count);
  if (peak > 0 && asked > 0) {
    shares.push({
      title: 'Memory',
      used: peak / 1024,
      asked,
      words: `${bytes(peak * 1024)} of ${bytes(asked * 2 ** 20)} on the fullest node`,
    });
  }
  if (job.time_limit !== null && seconds > 0) {
    shares.push({
      title: 'Time',
      used: seconds,
      asked: job.time_limit * 60,
      words: `${durationWords(seconds)} of ${durationWords(job.time_limit * 60)}`,
    });
  }
  return shares;
}

export function Efficiency({ id }: { id: string }) {
  const query = useQuery(pastQuery(id));
  return (
    <Card>
      <CardTitle>Asked and used</CardTitle>
      <div className="flex flex-col gap-4 p-4">
        <Loaded query={query} skeleton={<Skeleton className="h-24 w-full" />}>
          {(records) => {
            const last = records.at(-1);
            const shares = last ? sharesOf(last) : [];
            return shares.length === 0 ? (
              <p className="text-ink-2">Nothing was measured: it ran too briefly, or not at all.</p>
            ) : (
              shares.map((share) => (
                <div key={share.title} className="flex flex-col gap-1.5">
                  <div className="num flex justify-between gap-4">
                    <span>{share.title}</span>
                    <span className="text-ink-2">{share.words}</span>
                  </div>
                  <Meter
                    label={share.title}
                    whole={share.asked}
                    parts={[
                      {
                        name: 'used',
                        value: Math.min(share.used, share.asked),
                        colour: 'bg-completing-fill',
                      },
                    ]}
                  />
                </div>
              ))
            );
          }}
        </Loaded>
      </div>
    </Card>
  );
}
