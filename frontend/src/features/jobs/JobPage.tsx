import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Lightbulb } from 'lucide-react';
import { useState } from 'react';
import { useParams } from 'react-router';
import { newRequestId, troubleOf } from '~/api/client';
import {
  actOnJob,
  changeJob,
  type Explanation,
  gpusOf,
  type Job,
  type JobVerb,
  jobQuery,
  jobTitle,
  scriptQuery,
  stepsQuery,
  whyQuery,
} from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Button } from '~/ui/Button';
import { Card, CardTitle, Facts } from '~/ui/Card';
import { CopyButton } from '~/ui/Copy';
import { EmptyState, Skeleton } from '~/ui/Feedback';
import { plural } from '~/ui/numbers';
import { Confirm } from '~/ui/Overlay';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { lookOfJob, stateWords } from '~/ui/states';
import { Tabs } from '~/ui/Tabs';
import { ClockTime, durationWords, Elapsed, RelativeTime } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';
import { Output } from './Output';
import { reasonWords } from './reasons';

export function JobPage() {
  const { id = '' } = useParams();
  const query = useQuery(jobQuery(id));
  const [tab, setTab] = useState('overview');
  const waits = query.data?.states.includes('PENDING') ?? false;
  return (
    <Page
      title={
        query.data ? (
          <span className="flex flex-wrap items-center gap-3">
            {query.data.name} <span className="font-mono text-ink-3 text-sm">{jobTitle(query.data)}</span>
            <StatePill look={lookOfJob(query.data.state)}>{stateWords(query.data.state)}</StatePill>
          </span>
        ) : (
          `Job ${id}`
        )
      }
      hint={query.data && `${query.data.user} · ${query.data.account} · ${query.data.partition}`}
      action={query.data && <Actions id={id} job={query.data} />}
    >
      <Loaded query={query} skeleton={<Skeleton className="h-72 w-full" />}>
        {(job) => (
          <>
            <LifeBar job={job} />
            {waits && <Why id={id} job={job} />}
            <Tabs
              shown={tab}
              onShow={setTab}
              tabs={[
                { id: 'overview', title: 'Overview', content: <Overview job={job} /> },
                {
                  id: 'output',
                  title: 'Output',
                  content: <Output id={id} live={!job.ends_at || job.states.includes('RUNNING')} />,
                },
                { id: 'steps', title: 'Steps', content: <Steps id={id} /> },
                ...(job.batch ? [{ id: 'script', title: 'Script', content: <Script id={id} /> }] : []),
              ]}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

const actions: readonly {
  verb: JobVerb;
  text: string;
  sentence: string;
  danger?: boolean;
  when: (job: Job) => boolean;
}[] = [
  {
    verb: 'hold',
    text: 'Hold',
    sentence: 'It will not start until it is released.',
    when: (job) => job.states.includes('PENDING') && !job.held,
  },
  {
    verb: 'release',
    text: 'Release',
    sentence: 'It may start as soon as there is room.',
    when: (job) => job.held,
  },
  {
    verb: 'requeue',
    text: 'Requeue',
    sentence: 'It ends now and begins anew from its start when there is room. What it has not saved is lost.',
    danger: true,
    when: (job) => job.batch && job.states.includes('RUNNING'),
  },
  {
    verb: 'cancel',
    text: 'Cancel',
    sentence: 'It ends now and will not run again. Its processes are asked to stop, then killed.',
    danger: true,
    when: (job) => ['PENDING', 'RUNNING', 'SUSPENDED'].some((state) => job.states.includes(state)),
  },
];

function Actions({ id, job }: { id: string; job: Job }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const [asked, setAsked] = useState<(typeof actions)[number]>();
  const act = useMutation({
    mutationFn: (verb: JobVerb) => actOnJob(id, verb, newRequestId()),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => {
      setAsked(undefined);
      return client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  return (
    <>
      {actions
        .filter((each) => each.when(job))
        .map((each) => (
          <Button key={each.verb} look={each.danger ? 'danger' : 'secondary'} onClick={() => setAsked(each)}>
            {each.text}
          </Button>
        ))}
      {asked && (
        <Confirm
          open
          onClose={() => setAsked(undefined)}
          title={`${asked.text} job ${id}?`}
          hint={asked.sentence}
          action={asked.text}
          danger={asked.danger ?? false}
          busy={act.isPending}
          onConfirm={() => act.mutate(asked.verb)}
        />
      )}
    </>
  );
}

/** From submission through eligibility and start to its end. */
function LifeBar({ job }: { job: Job }) {
  const planned = job.states.includes('PENDING');
  const moments = [
    ['Submitted', job.submitted_at],
    ['Eligible', job.eligible_at],
    [planned ? 'Expected to start' : 'Started', job.started_at],
    [job.states.includes('RUNNING') ? 'Ends at the latest' : planned ? 'Would end' : 'Ended', job.ends_at],
  ] as const;
  return (
    <Card className="p-4">
      <ol className="grid grid-cols-2 gap-4 md:grid-cols-4">
        {moments.map(([title, at]) => (
          <li key={title} className="border-line border-l-2 pl-3">
            <p className="text-ink-3 text-xs">{title}</p>
            <p className="num">
              {at ? (
                <>
                  <ClockTime at={at} />{' '}
                  <span className="text-ink-3 text-xs">
                    (<RelativeTime at={at} />)
                  </span>
                </>
              ) : (
                'not known yet'
              )}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Why({ id, job }: { id: string; job: Job }) {
  const query = useQuery(whyQuery(id));
  return (
    <Card>
      <CardTitle>Why is it waiting?</CardTitle>
      <div className="flex flex-col gap-4 p-4">
        <p className="text-base">{query.data?.summary ?? reasonWords(job.reason)}</p>
        <Loaded query={query} skeleton={<Skeleton className="h-10 w-full" />}>
          {(explanation) => <Explained id={id} explanation={explanation} />}
        </Loaded>
      </div>
    </Card>
  );
}

function Explained({ id, explanation }: { id: string; explanation: Explanation }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const [asked, setAsked] = useState<Explanation['suggestions'][number]>();
  const change = useMutation({
    mutationFn: (wish: Readonly<Record<string, string>>) => changeJob(id, wish, newRequestId()),
    onSuccess: () => toasts.done('The job was changed.'),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => {
      setAsked(undefined);
      return client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  return (
    <>
      {explanation.obstacles.length > 0 && (
        <ul className="list-disc pl-5 text-ink-2">
          {explanation.obstacles.map((each) => (
            <li key={each.text}>{each.text}</li>
          ))}
        </ul>
      )}
      <p className="num text-ink-2">
        {explanation.position !== null &&
          `${plural(Math.max(0, explanation.position - 1), 'job is', 'jobs are')} ahead. `}
        {explanation.expected_start && (
          <>
            By the present plan it starts <ClockTime at={explanation.expected_start} />.
          </>
        )}
      </p>
      {explanation.suggestions.length > 0 && (
        <div className="flex flex-col gap-2">
          <h3 className="flex items-center gap-2 font-medium">
            <Lightbulb aria-hidden="true" className="size-4 text-pending" /> What would start it sooner
          </h3>
          {explanation.suggestions.map((each) => (
            <div
              key={each.text}
              className="flex flex-wrap items-center justify-between gap-2 rounded-lg border border-line p-2 pl-3"
            >
              <span>
                {each.text}
                {each.expected_start && (
                  <span className="num text-ink-3">
                    {' '}
                    It would start <RelativeTime at={each.expected_start} />.
                  </span>
                )}
              </span>
              <Button size="small" onClick={() => setAsked(each)}>
                Change it
              </Button>
            </div>
          ))}
        </div>
      )}
      {asked && (
        <Confirm
          open
          onClose={() => setAsked(undefined)}
          title="Change the job like this?"
          hint={Object.entries(asked.change)
            .map(([name, value]) => `${name} becomes ${value}`)
            .join(', ')}
          action="Change it"
          busy={change.isPending}
          onConfirm={() => change.mutate(asked.change)}
        />
      )}
    </>
  );
}

function Overview({ job }: { job: Job }) {
  const gpus = gpusOf(job.tres_allocated) || gpusOf(job.tres);
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Card>
        <CardTitle>Resources</CardTitle>
        <Facts
          facts={[
            ['Nodes', job.nodes || `${job.node_count} wanted`],
            ['Tasks', job.tasks],
            ['CPUs', job.cpus],
            ['GPUs', gpus || 'none'],
            ['Which ones', job.gres_detail.join(', ') || '–'],
            ['Reservation', job.reservation || '–'],
            ['QOS', job.qos || '–'],
          ]}
        />
      </Card>
      <Card>
        <CardTitle>Run</CardTitle>
        <Facts
          facts={[
            [
              'Ran for',
              job.started_at && job.states.includes('RUNNING') ? (
                <Elapsed key="e" since={job.started_at} />
              ) : (
                durationWords(job.run_seconds)
              ),
            ],
            ['Time limit', job.time_limit === null ? 'none' : durationWords(job.time_limit * 60)],
            ['Exit', job.exit ? exitWords(job.exit) : '–'],
            ['Started anew', job.restarts === 0 ? 'never' : plural(job.restarts, 'time')],
            ['Depends on', job.dependency || 'nothing'],
            ['Directory', <Path key="d" text={job.work_dir} />],
            ['Output', <Path key="o" text={job.std_out} />],
          ]}
        />
      </Card>
    </div>
  );
}

function exitWords({ code, signal }: { code: number; signal: number }): string {
  return signal > 0 ? `signal ${signal}` : `code ${code}`;
}

function Path({ text }: { text: string }) {
  return <code className="break-all font-mono text-xs">{text || '–'}</code>;
}

function Steps({ id }: { id: string }) {
  const query = useQuery(stepsQuery(id));
  return (
    <Loaded
      query={query}
      skeleton={<Skeleton className="h-24 w-full" />}
      empty={{
        when: (steps) => steps.length === 0,
        show: <EmptyState title="No step runs now" body="Each srun inside the job is a step." />,
      }}
    >
      {(steps) => (
        <Card className="overflow-x-auto">
          <table className="w-full text-left">
            <thead className="text-ink-3 text-xs">
              <tr>
                {['Step', 'Name', 'State', 'Nodes', 'Tasks', 'CPUs', 'Running for'].map((title) => (
                  <th key={title} className="px-4 py-2 font-normal">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {steps.map((step) => (
                <tr key={step.id}>
                  <td className="px-4 py-2 font-mono text-xs">{step.id}</td>
                  <td className="px-4 py-2">{step.name}</td>
                  <td className="px-4 py-2">
                    <StatePill look={lookOfJob(step.state)}>{stateWords(step.state)}</StatePill>
                  </td>
                  <td className="px-4 py-2">{step.nodes}</td>
                  <td className="px-4 py-2">{step.tasks}</td>
                  <td className="px-4 py-2">{step.cpus}</td>
                  <td className="px-4 py-2">{step.started_at ? <Elapsed since={step.started_at} /> : '–'}</td>
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
          <pre className="overflow-x-auto p-4 font-mono text-xs">{script}</pre>
        </Card>
      )}
    </Loaded>
  );
}
