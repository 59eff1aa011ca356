import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import {
  gpusOf,
  gpuTypes,
  type Job,
  jobKey,
  jobsOnQuery,
  liveJobsQuery,
  type Node,
  reservationsQuery,
} from '~/api/cluster';
import { expandHosts } from '~/api/hostlist';
import { Loaded } from '~/api/Loaded';
import { taskNumbers } from '~/features/jobs/waiting';
import { barsOf } from '~/features/timeline/bars';
import { Gantt } from '~/features/timeline/Gantt';
import { Card, CardTitle } from '~/ui/Card';
import { EmptyState, Skeleton, SkeletonRows } from '~/ui/Feedback';
import { plural } from '~/ui/numbers';
import { StatePill } from '~/ui/StatePill';
import { lookOfJob, stateWords } from '~/ui/states';
import { ClockTime, Elapsed } from '~/ui/Time';

const hour = 3_600_000;

/** Who has which of its devices, what runs here, and what comes next. */
export function WorkHere({ node }: { node: Node }) {
  const jobs = useQuery(jobsOnQuery(node.name));
  return (
    <>
      {gpusOf(node.tres) > 0 && (
        <Card>
          <CardTitle>GPUs</CardTitle>
          <Loaded query={jobs} skeleton={<Skeleton className="m-4 h-16" />}>
            {(here) => <Devices node={node} jobs={here} />}
          </Loaded>
        </Card>
      )}
      <Row node={node} />
      <Card>
        <CardTitle>Jobs on it</CardTitle>
        <Loaded
          query={jobs}
          skeleton={<SkeletonRows rows={2} label="Loading jobs" />}
          empty={{ when: (here) => here.length === 0, show: <EmptyState title="No job runs here" /> }}
        >
          {(here) => (
            <ul className="num divide-y divide-line">
              {here.map((job) => (
                <li key={job.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
                  <Link
                    to={`/jobs/${jobKey(job)}`}
                    className="w-20 font-mono text-accent-ink text-xs hover:underline"
                  >
                    {jobKey(job)}
                  </Link>
                  <span className="min-w-32 flex-1 truncate">{job.name}</span>
                  <span className="w-24 truncate text-ink-2">{job.user}</span>
                  <span className="w-36 text-ink-2">{heldBy(job, node.name)}</span>
                  <StatePill look={lookOfJob(job.state)}>{stateWords(job.states[0] ?? job.state)}</StatePill>
                  <span className="w-20 text-right text-ink-2">
                    {job.started_at && <Elapsed since={job.started_at} />}
                  </span>
                  <span className="hidden w-44 text-right text-ink-3 md:block">
                    {job.ends_at && (
                      <>
                        until <ClockTime at={job.ends_at} />
                      </>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
    </>
  );
}

function heldBy(job: Job, node: string): string {
  const part = job.allocations.find((each) => each.node === node);
  const gpus = (part?.gres ?? [])
    .filter((gres) => gres.name === 'gpu')
    .reduce((sum, gres) => sum + taskNumbers(gres.indices ?? '').length, 0);
  const cpus = plural(part?.cpus ?? 0, 'CPU');
  return gpus > 0 ? `${plural(gpus, 'GPU')}, ${cpus}` : cpus;
}

/** Each GPU a cell with the job that has it. */
function Devices({ node, jobs }: { node: Node; jobs: readonly Job[] }) {
  const owners = useMemo(() => {
    const byIndex = new Map<number, Job>();
    for (const job of jobs) {
      const part = job.allocations.find((each) => each.node === node.name);
      for (const gres of part?.gres ?? []) {
        if (gres.name !== 'gpu') continue;
        for (const index of taskNumbers(gres.indices ?? '')) byIndex.set(index, job);
      }
    }
    return byIndex;
  }, [jobs, node.name]);
  const type = gpuTypes(node.tres)[0]?.[0] ?? 'GPU';
  return (
    <ul className="grid grid-cols-2 gap-2 p-4 sm:grid-cols-4 xl:grid-cols-8">
      {Array.from({ length: gpusOf(node.tres) }, (_, index) => {
        const job = owners.get(index);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index is the name of the device
          <li key={index}>
            {job ? (
              <Link
                to={`/jobs/${jobKey(job)}`}
                title={`${job.name}, job ${jobKey(job)}`}
                className="flex h-16 flex-col justify-between rounded-lg border border-running/50 bg-running/10 p-2 hover:border-running"
              >
                <span className="num text-ink-2 text-xs">
                  {type} {index}
                </span>
                <span className="truncate text-xs">
                  <span className="font-medium">{job.user}</span> {job.name}
                </span>
              </Link>
            ) : (
              <div className="flex h-16 flex-col justify-between rounded-lg border border-line border-dashed p-2">
                <span className="num text-ink-2 text-xs">
                  {type} {index}
                </span>
                <span className="text-ink-3 text-xs">free</span>
              </div>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** Its row of the timeline. */
function Row({ node }: { node: Node }) {
  const navigate = useNavigate();
  const jobs = useQuery(liveJobsQuery());
  const reservations = useQuery(reservationsQuery());
  const [shown, setShown] = useState(() => ({ from: Date.now() - hour, until: Date.now() + 11 * hour }));
  const rows = useMemo(() => [{ id: node.name, group: '' }], [node.name]);
  const bars = useMemo(
    () =>
      barsOf(
        (jobs.data ?? []).filter((job) => expandHosts(job.nodes || job.planned_nodes).includes(node.name)),
        reservations.data ?? [],
      ).filter((bar) => bar.row === node.name),
    [jobs.data, reservations.data, node.name],
  );
  if (bars.length === 0) return null;
  return (
    <Card className="overflow-hidden">
      <CardTitle>Now and next</CardTitle>
      <Gantt
        fits
        rows={rows}
        bars={bars}
        window={shown}
        onWindow={setShown}
        onOpen={(bar) => navigate(bar.kind === 'reservation' ? '/reservations' : `/jobs/${bar.id}`)}
      />
    </Card>
  );
}
