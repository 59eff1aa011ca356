import type { Job } from '~/api/cluster';
import { Card } from '~/ui/Card';
import { classes } from '~/ui/classes';
import { lookOfJob, type StateLook } from '~/ui/states';
import { ClockTime, durationWords, useNow } from '~/ui/Time';

type Moments = Pick<
  Job,
  'state' | 'states' | 'submitted_at' | 'eligible_at' | 'started_at' | 'time_limit'
> & { ends_at: string | null };

interface Part {
  name: string;
  from: number;
  until: number;
  look: string;
}

const solid: Partial<Record<StateLook, string>> = {
  running: 'bg-running-fill',
  completing: 'bg-completing-fill',
  suspended: 'bg-suspended-fill',
  completed: 'bg-completed-fill',
  failed: 'bg-failed-fill',
  cancelled: 'bg-cancelled-fill',
};

/** A job's life as one bar, to scale: from its submission through its start to its end, with now on it. */
export function LifeBar({ job }: { job: Moments }) {
  const now = useNow();
  const waits = job.states.includes('PENDING');
  const ended = !waits && !['RUNNING', 'SUSPENDED', 'COMPLETING'].some((each) => job.states.includes(each));
  const submitted = at(job.submitted_at) ?? now;
  const eligible = Math.max(submitted, at(job.eligible_at) ?? submitted);
  const started = at(job.started_at);
  const ends = at(job.ends_at);
  const parts = partsOf({ submitted, eligible, started, ends, now, waits, ended, state: job.state });
  const first = submitted;
  const last = Math.max(parts.at(-1)?.until ?? now, first + 1000);
  const moments = [
    ['Submitted', job.submitted_at, false],
    ...(eligible - submitted > 1000 ? ([['Eligible', job.eligible_at, false]] as const) : []),
    [waits ? 'Expected to start' : 'Started', job.started_at, waits],
    [ended ? 'Ended' : waits ? 'Would end by' : 'Ends by', job.ends_at, !ended],
  ] as const;

  return (
    <Card className="flex flex-col gap-3 p-4">
      <div className="relative pt-1.5 pb-1">
        <div
          role="img"
          aria-label={parts
            .map((part) => `${part.name} ${durationWords((part.until - part.from) / 1000)}`)
            .join(', ')}
          className="flex h-3 w-full gap-0.5 overflow-hidden rounded-full bg-line"
        >
          {parts.map((part) => (
            <div
              key={part.name}
              title={`${part.name}: ${durationWords((part.until - part.from) / 1000)}`}
              className={classes('h-full min-w-1', part.look)}
              style={{ width: `${(100 * (part.until - part.from)) / (last - first)}%` }}
            />
          ))}
        </div>
        {!ended && now < last && (
          <span
            aria-hidden="true"
            title="Now"
            className="absolute top-0 h-6 w-0.5 rounded bg-ink"
            style={{ left: `${(100 * (now - first)) / (last - first)}%` }}
          />
        )}
      </div>
      <ol className="grid grid-cols-2 gap-x-6 gap-y-2 sm:flex sm:justify-between">
        {moments.map(([title, when, planned]) => (
          <li key={title}>
            <p className="text-ink-3 text-xs">{title}</p>
            <p className={classes('num', planned && 'text-ink-2')}>
              {when ? <ClockTime at={when} /> : ended && title === 'Started' ? 'never' : 'not known yet'}
            </p>
          </li>
        ))}
        <li>
          <p className="text-ink-3 text-xs">{waits ? 'Waiting for' : 'Waited, ran'}</p>
          <p className="num">
            {waits
              ? durationWords((now - submitted) / 1000)
              : started
                ? `${durationWords((started - eligible) / 1000)}, ${durationWords(
                    ((ended ? (ends ?? now) : now) - started) / 1000,
                  )}`
                : '–'}
          </p>
        </li>
      </ol>
    </Card>
  );
}

function partsOf(life: {
  submitted: number;
  eligible: number;
  started: number | undefined;
  ends: number | undefined;
  now: number;
  waits: boolean;
  ended: boolean;
  state: string;
}): Part[] {
  const { submitted, eligible, started, ends, now, waits, ended } = life;
  const parts: Part[] = [];
  const add = (name: string, from: number, until: number, look: string) =>
    until > from && parts.push({ name, from, until, look });
  add(
    'Not eligible',
    submitted,
    Math.min(eligible, waits ? now : (started ?? eligible)),
    'bg-line-strong/50',
  );
  if (waits) {
    add('Waited', Math.min(eligible, now), now, 'bg-pending-fill');
    if (started && started > now) {
      add('Waits on', now, started, 'bg-pending-fill/30');
      if (ends) add('Planned to run', started, ends, 'hatched text-pending-fill');
    }
    return parts;
  }
  const colour = solid[lookOfJob(life.state)] ?? 'bg-running-fill';
  if (!started) return parts;
  add('Waited', eligible, started, 'bg-pending-fill');
  if (ended) {
    add('Ran', started, ends ?? now, colour);
  } else {
    add('Ran', started, now, colour);
    if (ends) add('May still run', now, ends, 'bg-running-fill/20');
  }
  return parts;
}

function at(text: string | null): number | undefined {
  return text === null ? undefined : Date.parse(text);
}
