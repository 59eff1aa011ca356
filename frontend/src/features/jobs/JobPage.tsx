import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { ApiError } from '~/api/client';
import {
  gpusOf,
  type Job,
  jobQuery,
  jobTitle,
  type PastJob,
  pastQuery,
  scriptQuery,
  stepsQuery,
} from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Card, CardTitle, Facts } from '~/ui/Card';
import { CopyButton } from '~/ui/Copy';
import { EmptyState, Skeleton } from '~/ui/Feedback';
import { bytes, count, plural } from '~/ui/numbers';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { lookOfJob, stateWords } from '~/ui/states';
import { Tabs } from '~/ui/Tabs';
import { durationWords, Elapsed } from '~/ui/Time';
import { ArrayGrid } from './ArrayGrid';
import { Efficiency } from './Efficiency';
import { JobActions } from './JobActions';
import { LifeBar } from './LifeBar';
import { Output } from './Output';
import { WhyWaiting } from './WhyWaiting';

const live = ['PENDING', 'RUNNING', 'SUSPENDED', 'COMPLETING'];

export function JobPage() {
  const { id = '' } = useParams();
  const query = useQuery(jobQuery(id));
  const forgotten = query.error instanceof ApiError && query.error.status === 404;
  return forgotten ? <PastPage id={id} /> : <LivePage id={id} />;
}

function LivePage({ id }: { id: string }) {
  const query = useQuery(jobQuery(id));
  const [tab, setTab] = useState<string>();
  const job = query.data;
  return (
    <Page
      title={
        job ? <Title name={job.name} id={jobTitle(job)} state={job.states[0] ?? job.state} /> : `Job ${id}`
      }
      hint={job && <Whose job={job} />}
      action={job && <JobActions id={id} job={job} />}
    >
      <Loaded query={query} skeleton={<Skeleton className="h-72 w-full" />}>
        {(known) => {
          const isArray =
            known.array_waiting !== '' || (known.array_id !== null && known.array_task === null);
          const isLive = live.some((state) => known.states.includes(state));
          const waits = known.states.includes('PENDING');
          return (
            <>
              {!isArray && <LifeBar job={known} />}
              {waits && <WhyWaiting id={id} job={known} />}
              {known.array_id !== null && !id.includes('_') && <ArrayGrid array={known.array_id} />}
              {!isArray && (
                <Tabs
                  shown={tab ?? (waits ? 'about' : 'output')}
                  onShow={setTab}
                  tabs={[
                    ...(waits || !known.batch
                      ? []
                      : [
                          {
                            id: 'output',
                            title: 'Output',
                            content: <Output id={id} live={isLive} same={known.std_err === known.std_out} />,
                          },
                        ]),
                    { id: 'about', title: 'About', content: <About id={id} job={known} ended={!isLive} /> },
                    ...(waits ? [] : [{ id: 'steps', title: 'Steps', content: <Steps id={id} /> }]),
                    ...(known.batch ? [{ id: 'script', title: 'Script', content: <Script id={id} /> }] : []),
                  ]}
                />
              )}
              {isArray && <About id={id} job={known} ended={false} />}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Title({ name, id, state }: { name: string; id: string; state: string }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {name} <span className="font-mono font-normal text-ink-3 text-sm">{id}</span>
      <StatePill look={lookOfJob(state)}>{stateWords(state)}</StatePill>
    </span>
  );
}

function Whose({ job }: { job: Pick<Job, 'user' | 'account' | 'partition' | 'array_id' | 'array_task'> }) {
  return (
    <>
      {[job.user, job.account, job.partition].filter(Boolean).join(' · ')}
      {job.array_id !== null && job.array_task !== null && (
        <>
          {' · '}
          <Link to={`/jobs/${job.array_id}`} className="text-accent-ink hover:underline">
            array {job.array_id}
          </Link>
        </>
      )}
    </>
  );
}

function About({ id, job, ended }: { id: string; job: Job; ended: boolean }) {
  const gpus = gpusOf(job.tres_allocated) || gpusOf(job.tres);
  const memory = job.tres_allocated.mem ?? job.tres.mem;
  const sameFile = job.std_err === job.std_out || job.std_err === '';
  return (
    <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-2">
      <Card>
        <CardTitle>{job.states.includes('PENDING') ? 'What it asks for' : 'What it has'}</CardTitle>
        <Facts
          facts={[
            [
              'Nodes',
              job.nodes ? (
                <>
                  {job.node_count} <code className="ml-1 font-mono text-ink-2 text-xs">{job.nodes}</code>
                </>
              ) : (
                job.node_count
              ),
            ],
            ...(gpus > 0 ? ([['GPUs', gpus]] as const) : []),
            ...(job.allocations.some((each) => (each.gres?.length ?? 0) > 0)
              ? ([['Which ones', <Devices key="d" job={job} />]] as const)
              : []),
            ['CPUs', job.cpus],
            ['Tasks', job.tasks],
            ['Memory', memory ? `${bytes(memory * 2 ** 20)} in all` : '–'],
            ['Time limit', job.time_limit === null ? 'none' : durationWords(job.time_limit * 60)],
            ...optional('Features', job.features),
            ...optional('Licences', job.licenses),
            ...optional('Reservation', job.reservation),
            ...optional('QOS', job.qos),
            ['Priority', count(job.priority)],
          ]}
        />
      </Card>
      <div className="flex flex-col gap-4">
        {ended && <Efficiency id={id} />}
        <Card>
          <CardTitle>Run</CardTitle>
          <Facts
            facts={[
              ...(ended ? ([['Ended with', exitWords(job.exit)]] as const) : []),
              ...(ended && job.reason && job.reason !== 'None' ? ([['Because', job.reason]] as const) : []),
              ...(job.restarts > 0 ? ([['Started anew', plural(job.restarts, 'time')]] as const) : []),
              ...optional('Depends on', job.dependency),
              ...optional('Comment', job.comment),
              ['Directory', <Path key="w" text={job.work_dir} />],
              ['Output', <Path key="o" text={job.std_out} />],
              ...(sameFile ? [] : ([['Errors', <Path key="e" text={job.std_err} />]] as const)),
              ...(job.submit_line
                ? ([['Submitted as', <Path key="s" text={job.submit_line} clamp />]] as const)
                : []),
            ]}
          />
        </Card>
      </div>
    </div>
  );
}

function optional(title: string, value: string): (readonly [string, string])[] {
  return value ? [[title, value]] : [];
}

/** Which devices of which node, as in "gpu001: GPU 0-3". */
function Devices({ job }: { job: Job }) {
  return (
    <ul className="font-mono text-xs">
      {job.allocations.slice(0, 8).map((each) => (
        <li key={each.node}>
          {each.node}: {each.gres?.map((gres) => `${gres.type || gres.name} ${gres.indices}`).join(', ')}
        </li>
      ))}
      {job.allocations.length > 8 && (
        <li className="text-ink-3">and {job.allocations.length - 8} more nodes</li>
      )}
    </ul>
  );
}

export function exitWords({ code, signal }: { code: number; signal: number }): string {
  if (signal > 0) return `signal ${signal}`;
  return code === 0 ? 'code 0, as it should' : `code ${code}`;
}

function Path({ text, clamp = false }: { text: string; clamp?: boolean }) {
  return (
    <code className={clamp ? 'line-clamp-3 break-all font-mono text-xs' : 'break-all font-mono text-xs'}>
      {text || '–'}
    </code>
  );
}

/** Those that run, from the cluster; those that have ended, from accounting. */
function Steps({ id }: { id: string }) {
  const running = useQuery(stepsQuery(id));
  const past = useQuery(pastQuery(id));
  const ended = (past.data?.at(-1)?.steps ?? []).filter(
    (step) => !running.data?.some((each) => each.id === step.id),
  );
  return (
    <Loaded
      query={running}
      skeleton={<Skeleton className="h-24 w-full" />}
      empty={{
        when: (steps) => steps.length === 0 && ended.length === 0,
        show: (
          <Card>
            <EmptyState title="No step yet" body="Each srun inside the job is a step." />
          </Card>
        ),
      }}
    >
      {(steps) => (
        <Card className="overflow-x-auto">
          <table className="num w-full text-left">
            <thead className="text-ink-3 text-xs">
              <tr>
                {['Step', 'Name', 'State', 'Nodes'].map((title) => (
                  <th key={title} scope="col" className="px-4 py-2 font-normal">
                    {title}
                  </th>
                ))}
                {['Tasks', 'Time'].map((title) => (
                  <th key={title} scope="col" className="px-4 py-2 text-right font-normal">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line border-line border-t">
              {[
                ...steps.map((step) => ({
                  ...step,
                  time: step.started_at ? <Elapsed since={step.started_at} /> : '–',
                })),
                ...ended.map((step) => ({ ...step, time: durationWords(step.run_seconds) })),
              ].map((step) => (
                <tr key={step.id} className="h-9">
                  <td className="px-4 font-mono text-xs">{step.id}</td>
                  <td className="px-4">{step.name}</td>
                  <td className="px-4">
                    <StatePill look={lookOfJob(step.state)}>{stateWords(step.state)}</StatePill>
                  </td>
                  <td className="px-4 font-mono text-xs">{step.nodes}</td>
                  <td className="px-4 text-right">{step.tasks}</td>
                  <td className="px-4 text-right">{step.time}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Card>
      )}
    </Loaded>
  );
}

function Script({ id }: { id: string }) {
  const query = useQuery(scriptQuery(id));
  return (
    <Loaded query={query} skeleton={<Skeleton className="h-48 w-full" />}>
      {(script) => (
        <Card className="relative">
          <div className="absolute top-2 right-2">
            <CopyButton text={script} name="Copy the script" />
          </div>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
            tabIndex={0}
            className="overflow-x-auto p-4 pr-14 font-mono text-xs"
          >
            {script}
          </pre>
        </Card>
      )}
    </Loaded>
  );
}

/** A job that only accounting remembers. */
function PastPage({ id }: { id: string }) {
  const query = useQuery(pastQuery(id));
  const job = query.data?.at(-1);
  return (
    <Page
      title={job ? <Title name={job.name} id={id} state={job.state} /> : `Job ${id}`}
      hint={job && <Whose job={job} />}
    >
      <Loaded
        query={query}
        skeleton={<Skeleton className="h-72 w-full" />}
        empty={{
          when: (records) => records.length === 0,
          show: (
            <Card>
              <EmptyState
                title={`There is no job ${id}`}
                body="The number may be mistyped, it may be somebody else's, or it ended longer ago than is kept."
              />
            </Card>
          ),
        }}
      >
        {(records) => {
          const past = records.at(-1);
          return past ? <PastAbout id={id} job={past} runs={records.length} /> : null;
        }}
      </Loaded>
    </Page>
  );
}

function PastAbout({ id, job, runs }: { id: string; job: PastJob; runs: number }) {
  const gpus = gpusOf(job.tres);
  return (
    <>
      <LifeBar job={{ ...job, states: [job.state], ends_at: job.ended_at }} />
      {job.array_id !== null && !id.includes('_') && <ArrayGrid array={job.array_id} />}
      <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-2">
        <Card>
          <CardTitle>What it had</CardTitle>
          <Facts
            facts={[
              ['Nodes', `${job.node_count} ${job.nodes}`],
              ...(gpus > 0 ? ([['GPUs', gpus]] as const) : []),
              ['CPUs', job.cpus],
              ['Ended with', exitWords(job.exit)],
              ...(runs > 1 ? ([['Runs', runs]] as const) : []),
              ...optional('Reservation', job.reservation),
              ...optional('Comment', job.comment),
              ['Directory', <Path key="w" text={job.work_dir} />],
              ['Output', <Path key="o" text={job.std_out} />],
            ]}
          />
        </Card>
        <Efficiency id={id} />
      </div>
      <Steps id={id} />
    </>
  );
}
