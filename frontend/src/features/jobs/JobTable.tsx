import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { newRequestId, troubleOf } from '~/api/client';
import {
  actOnJob,
  gpusOf,
  type Job,
  type JobFilter,
  type JobVerb,
  jobKey,
  jobsQuery,
  jobTitle,
  partitionsQuery,
} from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Button } from '~/ui/Button';
import { Card } from '~/ui/Card';
import { classes } from '~/ui/classes';
import { type Column, DataTable, type Sorting } from '~/ui/DataTable';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { plural } from '~/ui/numbers';
import { Confirm } from '~/ui/Overlay';
import { StatePill } from '~/ui/StatePill';
import { lookOfJob, stateWords } from '~/ui/states';
import { ClockTime, durationWords, Elapsed, RelativeTime } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';
import { reasonWords } from './reasons';

const columns: readonly Column<Job>[] = [
  {
    id: 'id',
    title: 'Job',
    width: 'minmax(84px,0.8fr)',
    sort: 'id',
    cell: (job) => <span className="font-mono text-xs">{jobTitle(job)}</span>,
  },
  { id: 'name', title: 'Name', width: 'minmax(120px,2fr)', sort: 'name', cell: (job) => job.name },
  { id: 'user', title: 'User', width: 'minmax(70px,1fr)', sort: 'user', cell: (job) => job.user },
  {
    id: 'partition',
    title: 'Partition',
    width: 'minmax(80px,1fr)',
    sort: 'partition',
    cell: (job) => job.partition,
  },
  {
    id: 'state',
    title: 'State',
    width: '130px',
    sort: 'state',
    cell: (job) => (
      <StatePill look={lookOfJob(job.state)}>{stateWords(job.states[0] ?? job.state)}</StatePill>
    ),
  },
  {
    id: 'resources',
    title: 'Resources',
    width: '150px',
    cell: (job) => {
      const gpus = gpusOf(job.tres_allocated) || gpusOf(job.tres);
      return `${plural(job.node_count, 'node')}, ${gpus > 0 ? plural(gpus, 'GPU') : plural(job.cpus, 'CPU')}`;
    },
  },
  {
    id: 'where',
    title: 'Where, or why not',
    width: 'minmax(150px,2fr)',
    cell: (job) =>
      job.states.includes('PENDING') ? (
        <span className="text-ink-2">{reasonWords(job.reason)}</span>
      ) : (
        <span className="font-mono text-xs">{job.nodes}</span>
      ),
  },
  {
    id: 'time',
    title: 'Time',
    width: '130px',
    numeric: true,
    sort: 'run_seconds',
    cell: (job) =>
      job.states.includes('PENDING') ? (
        job.started_at ? (
          <>
            starts <ClockTime at={job.started_at} />
          </>
        ) : job.submitted_at ? (
          <RelativeTime at={job.submitted_at} />
        ) : null
      ) : job.started_at && job.states.includes('RUNNING') ? (
        <Elapsed since={job.started_at} />
      ) : (
        durationWords(job.run_seconds)
      ),
  },
];

const verbs: readonly {
  verb: JobVerb;
  text: string;
  sentence: (jobs: string) => string;
  danger?: boolean;
}[] = [
  {
    verb: 'hold',
    text: 'Hold',
    sentence: (jobs) => `${jobs} will not start until released. What runs is not touched.`,
  },
  { verb: 'release', text: 'Release', sentence: (jobs) => `${jobs} may start as soon as there is room.` },
  {
    verb: 'cancel',
    text: 'Cancel',
    sentence: (jobs) =>
      `${jobs} will end now. What runs is asked to stop, then killed; what waits will never start.`,
    danger: true,
  },
];

/** Jobs with filters that live in the address, so that a view can be sent to somebody. */
export function JobTable({ user }: { user?: string | undefined }) {
  const [parameters, setParameters] = useSearchParams();
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const sorting = sortingOf(parameters.get('sort') ?? '-priority');
  const filter: JobFilter = {
    state: parameters.get('state') ?? undefined,
    user: user ?? parameters.get('user') ?? undefined,
    partition: parameters.get('partition') ?? undefined,
    account: parameters.get('account') ?? undefined,
    name: parameters.get('name') ?? undefined,
    sort: (sorting.descending ? '-' : '') + sorting.by,
  };
  const query = useInfiniteQuery(jobsQuery(filter));
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.jobs) ?? [], [query.data]);
  const total = query.data?.pages[0]?.total;

  function choose(name: string, value: string) {
    setParameters(
      (old) => {
        const next = new URLSearchParams(old);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
    setSelected(new Set());
  }

  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <StateChips value={filter.state ?? ''} onChoose={(value) => choose('state', value)} />
        {!user && (
          <FilterInput label="User" value={filter.user ?? ''} onChoose={(value) => choose('user', value)} />
        )}
        <PartitionFilter value={filter.partition ?? ''} onChoose={(value) => choose('partition', value)} />
        <FilterInput
          label="Account"
          value={filter.account ?? ''}
          onChoose={(value) => choose('account', value)}
        />
        <FilterInput label="Name" value={filter.name ?? ''} onChoose={(value) => choose('name', value)} />
        {total !== undefined && <span className="num ml-auto text-ink-3">{plural(total, 'job')}</span>}
      </div>
      <Loaded
        query={query}
        skeleton={
          <Card>
            <SkeletonRows rows={8} label="Loading jobs" />
          </Card>
        }
        empty={{
          when: (data) => data.pages[0]?.jobs.length === 0,
          show: (
            <Card>
              <EmptyState
                title={
                  filter.state || filter.partition || filter.name
                    ? 'No job fits these filters'
                    : 'Nothing waits, nothing runs'
                }
                body="Submit one here, or with sbatch on a login node."
                action={
                  <Button look="primary" onClick={() => navigate('/jobs/new')}>
                    Submit a job
                  </Button>
                }
              />
            </Card>
          ),
        }}
      >
        {() => (
          <Card className="overflow-hidden">
            <DataTable
              label="Jobs"
              columns={user ? columns.filter((column) => column.id !== 'user') : columns}
              rows={rows}
              keyOf={jobKey}
              total={total}
              sorting={sorting}
              onSort={(next) => choose('sort', (next.descending ? '-' : '') + next.by)}
              onOpen={(job) => navigate(`/jobs/${encodeURIComponent(jobKey(job))}`)}
              selected={selected}
              onSelect={setSelected}
              onEnd={() => query.hasNextPage && !query.isFetchingNextPage && query.fetchNextPage()}
              height="calc(100dvh - 16rem)"
            />
          </Card>
        )}
      </Loaded>
      {selected.size > 0 && <Selection keys={selected} onDone={() => setSelected(new Set())} />}
    </div>
  );
}

function sortingOf(text: string): Sorting {
  return text.startsWith('-') ? { by: text.slice(1), descending: true } : { by: text, descending: false };
}

/** The usual choices, one click away. */
function StateChips({ value, onChoose }: { value: string; onChoose: (value: string) => void }) {
  return (
    <fieldset className="flex flex-wrap gap-0.5 rounded-lg border border-line bg-surface p-0.5">
      <legend className="sr-only">Jobs in which state</legend>
      {states.map(([each, text]) => (
        <label
          key={each}
          className={classes(
            'flex h-7 cursor-pointer items-center rounded-md px-2.5 text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent-ink',
            each === value ? 'bg-accent/10 font-medium text-accent-ink' : 'text-ink-2 hover:text-ink',
          )}
        >
          <input
            type="radio"
            name="state"
            className="sr-only"
            checked={each === value}
            onChange={() => onChoose(each)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

const states: readonly (readonly [string, string])[] = [
  ['', 'Alive'],
  ['RUNNING', 'Running'],
  ['PENDING', 'Waiting'],
  ['COMPLETED', 'Completed'],
  ['FAILED,TIMEOUT,NODE_FAIL,OUT_OF_MEMORY', 'Failed'],
  ['CANCELLED', 'Cancelled'],
  ['ALL', 'All'],
];

function PartitionFilter({ value, onChoose }: { value: string; onChoose: (value: string) => void }) {
  const partitions = useQuery(partitionsQuery());
  return (
    <select
      aria-label="Only in this partition"
      value={value}
      onChange={(event) => onChoose(event.target.value)}
      className="h-8 cursor-pointer rounded-lg border border-line bg-surface px-2 text-xs"
    >
      <option value="">Any partition</option>
      {partitions.data?.map((each) => (
        <option key={each.name} value={each.name}>
          {each.name}
        </option>
      ))}
    </select>
  );
}

/** Filters when one leaves it or presses Enter: not with every letter. */
function FilterInput({
  label,
  value,
  onChoose,
}: {
  label: string;
  value: string;
  onChoose: (value: string) => void;
}) {
  return (
    <span className="relative">
      <input
        key={value}
        defaultValue={value}
        aria-label={`Only with this ${label.toLowerCase()}`}
        placeholder={label}
        onBlur={(event) => event.target.value.trim() !== value && onChoose(event.target.value.trim())}
        onKeyDown={(event) => event.key === 'Enter' && onChoose(event.currentTarget.value.trim())}
        className="h-8 w-28 rounded-lg border border-line bg-surface px-2.5 text-xs placeholder:text-ink-3"
      />
      {value && (
        <button
          type="button"
          aria-label={`Any ${label.toLowerCase()}`}
          className="absolute top-2 right-1.5 text-ink-3"
          onClick={() => onChoose('')}
        >
          <X aria-hidden="true" className="size-4" />
        </button>
      )}
    </span>
  );
}

function Selection({ keys, onDone }: { keys: ReadonlySet<string>; onDone: () => void }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const [asked, setAsked] = useState<(typeof verbs)[number]>();
  const act = useMutation({
    // Some may be refused while others go on: each is told.
    mutationFn: async (verb: JobVerb) => {
      const outcomes = await Promise.allSettled([...keys].map((key) => actOnJob(key, verb, newRequestId())));
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      if (refused[0]) {
        throw new Error(
          `${plural(refused.length, 'job')} of ${keys.size}: ${troubleOf(refused[0].reason).because}`,
        );
      }
    },
    onSuccess: () => {
      toasts.done(`Done for ${plural(keys.size, 'job')}.`);
      onDone();
    },
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => {
      setAsked(undefined);
      return client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });

  return (
    <>
      <div
        role="toolbar"
        aria-label="What to do with the selected jobs"
        className="sticky bottom-20 flex items-center gap-2 self-center rounded-lg border border-line bg-raised p-2 shadow-(--shadow) md:bottom-4"
      >
        <span className="num px-2">{plural(keys.size, 'job')} selected</span>
        {verbs.map((each) => (
          <Button
            key={each.verb}
            size="small"
            look={each.danger ? 'danger' : 'secondary'}
            onClick={() => setAsked(each)}
          >
            {each.text}
          </Button>
        ))}
        <Button size="small" look="ghost" onClick={onDone}>
          Clear
        </Button>
      </div>
      {asked && (
        <Confirm
          open
          onClose={() => setAsked(undefined)}
          title={`${asked.text} ${plural(keys.size, 'job')}?`}
          hint={asked.sentence(keys.size === 1 ? `Job ${[...keys][0]}` : `These ${keys.size} jobs`)}
          action={asked.text}
          danger={asked.danger ?? false}
          busy={act.isPending}
          onConfirm={() => act.mutate(asked.verb)}
        />
      )}
    </>
  );
}
