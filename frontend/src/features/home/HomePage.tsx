import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Cpu, SquareTerminal, Zap } from 'lucide-react';
import { Link, useNavigate } from 'react-router';
import { jobKey, jobsQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import {
  active,
  type GpuPool,
  gpusQuery,
  gpuWords,
  type Session,
  sessionsQuery,
  summaryQuery,
} from '~/api/sessions';
import { useMe } from '~/features/auth/session';
import { freest } from '~/features/launch/choices';
import { Button } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { EmptyState, Skeleton, SkeletonRows } from '~/ui/Feedback';
import { Ring } from '~/ui/Meter';
import { amount, money } from '~/ui/numbers';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { lookOfJob, lookOfSession, stateWords } from '~/ui/states';
import { durationWords, RelativeTime, useNow } from '~/ui/Time';
import { GpuCapacityCard } from './GpuCapacityCard';

/** What I have running, what there is to have, and what it cost. */
export function HomePage() {
  const me = useMe();
  const sessions = useQuery(sessionsQuery());
  const gpus = useQuery(gpusQuery());
  return (
    <Page title={`Hello, ${me.display_name || me.username}`}>
      <Loaded query={sessions} skeleton={<Skeleton className="h-36 w-full" />}>
        {(all) => {
          const mine = all.filter((session) => active.has(session.state));
          return mine.length > 0 ? <Running sessions={mine} /> : <LaunchOne pools={gpus.data ?? []} />;
        }}
      </Loaded>
      <section aria-labelledby="capacity" className="flex flex-col gap-3">
        <h2 id="capacity" className="font-semibold">
          GPUs
        </h2>
        <Loaded
          query={gpus}
          skeleton={<Skeleton className="h-32 w-full" />}
          empty={{
            when: (pools) => pools.length === 0,
            show: (
              <Card>
                <EmptyState
                  title="This cluster has no GPUs"
                  body="Sessions with CPUs only work all the same."
                />
              </Card>
            ),
          }}
        >
          {(pools) => (
            <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-4">
              {pools.map((pool) => (
                <GpuCapacityCard key={pool.gpu_type} pool={pool} />
              ))}
            </div>
          )}
        </Loaded>
      </section>
      <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-[minmax(0,1fr)_320px]">
        <LatestJobs />
        <Month />
      </div>
    </Page>
  );
}

function Running({ sessions }: { sessions: readonly Session[] }) {
  return (
    <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
      {sessions.map((session) => (
        <RunningCard key={session.id} session={session} />
      ))}
    </div>
  );
}

function RunningCard({ session }: { session: Session }) {
  const now = useNow();
  const end = session.ends_at ? Date.parse(session.ends_at) : undefined;
  const whole = session.time_limit_min * 60_000;
  return (
    <Card className="flex flex-wrap items-center gap-4 p-4">
      {session.state === 'running' && end ? (
        <Ring left={(end - now) / whole} label={`${durationWords((end - now) / 1000)} left`} />
      ) : null}
      <div className="min-w-0 flex-1">
        <div className="flex items-center gap-2">
          <Link to={`/sessions/${session.id}`} className="truncate font-semibold text-base hover:underline">
            {session.name}
          </Link>
          <StatePill look={lookOfSession(session.state)}>{stateWords(session.state)}</StatePill>
        </div>
        <p className="num text-ink-2">
          {gpuWords(session)}
          {session.state === 'running' && end ? `, ${durationWords((end - now) / 1000)} left` : ''}
          {session.cost ? `, ${money(session.cost.amount, session.cost.currency)} so far` : ''}
          {session.state === 'pending' && session.expected_start && (
            <>
              , expected to start <RelativeTime at={session.expected_start} />
            </>
          )}
        </p>
      </div>
      {session.state === 'running' && (
        <Button look="primary" size="large" asChild>
          <Link to={`/sessions/${session.id}/terminal`}>
            <SquareTerminal aria-hidden="true" className="size-4" />
            Open terminal
          </Link>
        </Button>
      )}
    </Card>
  );
}

function LaunchOne({ pools }: { pools: readonly GpuPool[] }) {
  const navigate = useNavigate();
  const first = freest(pools);
  const choices = first
    ? [1, 4, 8].filter((number) => first.nodes.some((node) => node.total_gpus >= number))
    : [];
  return (
    <Card className="flex flex-col items-center gap-4 px-6 py-10 text-center">
      <h2 className="font-semibold text-lg">Launch a GPU</h2>
      <p className="max-w-md text-ink-2">
        A shell on a machine with GPUs, in the browser or by SSH, a moment from now.
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {first &&
          choices.map((number, index) => (
            <Button
              key={number}
              look={index === 0 ? 'primary' : 'secondary'}
              size="large"
              icon={<Zap aria-hidden="true" className="size-4" />}
              onClick={() => navigate(`/sessions/new?gpu=${first.gpu_type}&count=${number}`)}
            >
              {number} × {first.gpu_type.toUpperCase()}
            </Button>
          ))}
        <Button
          look={first ? 'secondary' : 'primary'}
          size="large"
          icon={<Cpu aria-hidden="true" className="size-4" />}
          onClick={() => navigate('/sessions/new?gpu=none&count=0')}
        >
          CPU only
        </Button>
      </div>
    </Card>
  );
}

function LatestJobs() {
  const me = useMe();
  const name = me.linked_name ?? me.unix_name;
  const query = useInfiniteQuery({
    ...jobsQuery({ user: name ?? '', state: 'ALL', sort: '-id' }),
    enabled: name !== null,
  });
  const jobs = query.data?.pages[0]?.jobs.slice(0, 6) ?? [];
  return (
    <Card>
      <CardTitle
        action={
          <Link to="/jobs" className="text-accent-ink text-xs hover:underline">
            All jobs
          </Link>
        }
      >
        My latest jobs
      </CardTitle>
      {name === null ? (
        <EmptyState title="No job yet" body="Sessions and jobs that you submit appear here." />
      ) : (
        <Loaded
          query={query}
          skeleton={<SkeletonRows rows={4} label="Loading your jobs" />}
          empty={{
            when: () => jobs.length === 0,
            show: <EmptyState title="No job yet" body="Submit one here, or with sbatch on a login node." />,
          }}
        >
          {() => (
            <ul className="divide-y divide-line">
              {jobs.map((job) => (
                <li key={job.id} className="flex items-center gap-4 px-4 py-2">
                  <Link
                    to={`/jobs/${jobKey(job)}`}
                    className="w-20 font-mono text-accent-ink text-xs hover:underline"
                  >
                    {jobKey(job)}
                  </Link>
                  <span className="min-w-0 flex-1 truncate">{job.name}</span>
                  <StatePill look={lookOfJob(job.state)}>{stateWords(job.states[0] ?? job.state)}</StatePill>
                  <span className="hidden w-28 text-right text-ink-3 sm:block">
                    {job.submitted_at && <RelativeTime at={job.submitted_at} />}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </Card>
  );
}

function Month() {
  const now = useNow();
  const first = new Date(now);
  const since = new Date(first.getFullYear(), first.getMonth(), 1).toISOString();
  const until = new Date(first.getFullYear(), first.getMonth() + 1, 1).toISOString();
  const query = useQuery(summaryQuery(since, until));
  return (
    <Card>
      <CardTitle
        action={
          <Link to="/usage" className="text-accent-ink text-xs hover:underline">
            Details
          </Link>
        }
      >
        This month
      </CardTitle>
      <div className="flex flex-col gap-1 p-4">
        <Loaded query={query} skeleton={<Skeleton className="h-12 w-40" />}>
          {(summary) => (
            <>
              {Number(summary.total_cost) > 0 && (
                <p className="num font-semibold text-lg">{money(summary.total_cost, summary.currency)}</p>
              )}
              <p className="num text-ink-2">{amount(summary.total_gpu_hours)} GPU hours</p>
            </>
          )}
        </Loaded>
      </div>
    </Card>
  );
}
