import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Lightbulb } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { newRequestId, troubleOf } from '~/api/client';
import {
  actOnJob,
  type Explanation,
  followSuggestion,
  type Job,
  type Suggestion,
  whyQuery,
} from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Button } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { CommandLine } from '~/ui/Copy';
import { Skeleton } from '~/ui/Feedback';
import { count, plural } from '~/ui/numbers';
import { Confirm } from '~/ui/Overlay';
import { ClockTime, RelativeTime, useNow } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';
import { reasonWords } from './reasons';

const shownAtMost = 6;

/** The same as `spur why`: what holds it up, who is before it, when it will start, and what would start it sooner. */
export function WhyWaiting({ id, job }: { id: string; job: Job }) {
  const query = useQuery(whyQuery(id));
  return (
    <Card>
      <CardTitle>Why is it waiting?</CardTitle>
      <div className="flex flex-col gap-4 p-4">
        <p className="max-w-3xl text-base">{query.data?.because || reasonWords(job.reason)}</p>
        <Loaded query={query} skeleton={<Skeleton className="h-10 w-full" />}>
          {(explanation) => (
            <>
              <Expected explanation={explanation} />
              <Suggestions id={id} suggestions={explanation.suggestions} />
              <Others explanation={explanation} />
            </>
          )}
        </Loaded>
      </div>
    </Card>
  );
}

function Expected({ explanation }: { explanation: Explanation }) {
  const plan = explanation.plan[0];
  const facts = [
    plan?.starts_at && (
      <>
        Expected to start{' '}
        <span className="font-medium text-ink">
          <ClockTime at={plan.starts_at} />
        </span>{' '}
        (<RelativeTime at={plan.starts_at} />)
        {plan.nodes && (
          <>
            {' '}
            on <code className="font-mono text-xs">{plan.nodes}</code>
          </>
        )}
      </>
    ),
    plan?.place != null &&
      explanation.queued > 0 &&
      `place ${count(plan.place)} of ${count(explanation.queued)} in the queue`,
    explanation.ahead_total > 0 && `${plural(explanation.ahead_total, 'job')} before it`,
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return (
    <p className="num text-ink-2">
      {facts.map((fact, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the facts stay in their order
        <span key={index}>
          {index > 0 && ' · '}
          {fact}
        </span>
      ))}
    </p>
  );
}

function Others({ explanation }: { explanation: Explanation }) {
  const { ahead, in_the_way: blocking } = explanation;
  if (ahead.length === 0 && blocking.length === 0) return null;
  return (
    <div className="grid grid-cols-1 gap-x-8 gap-y-4 lg:grid-cols-2">
      {blocking.length > 0 && (
        <JobList
          title="On the nodes that it could use"
          more={explanation.in_the_way_total - Math.min(shownAtMost, blocking.length)}
          rows={blocking.slice(0, shownAtMost).map((each) => ({
            ...each,
            note: each.until ? (
              <>
                until <ClockTime at={each.until} />
              </>
            ) : (
              'without an end'
            ),
          }))}
        />
      )}
      {ahead.length > 0 && (
        <JobList
          title="Before it in the queue"
          more={explanation.ahead_total - Math.min(shownAtMost, ahead.length)}
          rows={ahead.slice(0, shownAtMost).map((each) => ({
            ...each,
            note: each.starts_at ? (
              <>
                starts <ClockTime at={each.starts_at} />
              </>
            ) : (
              'no start known'
            ),
          }))}
        />
      )}
    </div>
  );
}

function JobList({
  title,
  rows,
  more,
}: {
  title: string;
  rows: readonly { id: string; user: string; note: React.ReactNode }[];
  more: number;
}) {
  return (
    <section>
      <h3 className="mb-1 text-ink-3 text-xs">{title}</h3>
      <ul className="num divide-y divide-line">
        {rows.map((row) => (
          <li key={row.id} className="flex h-8 items-center gap-4">
            <Link
              to={`/jobs/${encodeURIComponent(row.id)}`}
              className="w-20 shrink-0 font-mono text-accent-ink text-xs hover:underline"
            >
              {row.id}
            </Link>
            <span className="min-w-0 flex-1 truncate">{row.user}</span>
            <span className="text-ink-2">{row.note}</span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="num pt-1 text-ink-3 text-xs">and {count(more)} more</p>}
    </section>
  );
}

function Suggestions({ id, suggestions }: { id: string; suggestions: readonly Suggestion[] }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const [asked, setAsked] = useState<Suggestion>();
  const change = useMutation({
    mutationFn: async (wish: Suggestion): Promise<unknown> =>
      wish.release
        ? actOnJob(id, 'release', newRequestId())
        : followSuggestion(id, wish.update, newRequestId()),
    onSuccess: () => toasts.done(`Job ${id} was changed.`),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => {
      setAsked(undefined);
      return client.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  if (suggestions.length === 0) return null;
  return (
    <section aria-label="What would start it sooner" className="flex flex-col gap-2">
      <h3 className="flex items-center gap-2 font-medium">
        <Lightbulb aria-hidden="true" className="size-4 text-pending" /> It would start sooner
      </h3>
      <ul className="flex flex-col gap-2">
        {suggestions.map((each) => (
          <li
            key={each.text}
            className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-lg border border-line py-2 pr-2 pl-3"
          >
            <span className="num">
              <span className="font-medium">{each.text}</span>
              {each.starts_at && (
                <span className="text-ink-2">
                  , <Start at={each.starts_at} />
                </span>
              )}
            </span>
            {each.option ? (
              <span className="text-ink-2 text-xs">
                Submit it again with <code className="font-mono">{each.option}</code>
              </span>
            ) : (
              <Button size="small" onClick={() => setAsked(each)}>
                {each.release ? 'Release it' : 'Change it'}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {asked && (
        <Confirm
          open
          onClose={() => setAsked(undefined)}
          title={asked.release ? `Release job ${id}?` : `Change job ${id}?`}
          hint={
            asked.release
              ? 'It may start as soon as there is room.'
              : 'What it asks for becomes different for good. The same as a command:'
          }
          action={asked.release ? 'Release it' : 'Change it'}
          busy={change.isPending}
          onConfirm={() => change.mutate(asked)}
        >
          <CommandLine
            text={
              asked.release
                ? `scontrol release ${id}`
                : `scontrol update JobId=${id} ${asked.update.join(' ')}`
            }
          />
        </Confirm>
      )}
    </section>
  );
}

function Start({ at }: { at: string }) {
  const now = useNow();
  return Date.parse(at) - now < 60_000 ? (
    'starts now'
  ) : (
    <>
      starts <ClockTime at={at} />
    </>
  );
}
