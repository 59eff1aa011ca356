import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Pencil } from 'lucide-react';
import { type KeyboardEvent, lazy, Suspense, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { call, newRequestId, troubleOf } from '~/api/client';
import { whyQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { active, gpuWords, type Session, sessionQuery } from '~/api/sessions';
import { Button, IconButton } from '~/ui/Button';
import { Card, CardTitle, Facts } from '~/ui/Card';
import { CopyButton } from '~/ui/Copy';
import { Skeleton } from '~/ui/Feedback';
import { Ring } from '~/ui/Meter';
import { bytes, money } from '~/ui/numbers';
import { Confirm, Menu } from '~/ui/Overlay';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { lookOfSession, stateWords } from '~/ui/states';
import { Tabs } from '~/ui/Tabs';
import { ClockTime, durationWords, Elapsed, RelativeTime, useNow } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';
import { Events } from './Events';
import { Ports } from './Ports';
import { SessionLogs } from './SessionLogs';
import { Shells } from './Shells';

const Metrics = lazy(() => import('./Metrics'));

export default function SessionDetailPage() {
  const { id = '', tab } = useParams();
  const navigate = useNavigate();
  const query = useQuery(sessionQuery(id));
  const session = query.data;
  return (
    <Page
      wide
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {session ? <Name key={session.name} session={session} /> : 'Session'}
          {session && <StatePill look={lookOfSession(session.state)}>{stateWords(session.state)}</StatePill>}
        </span>
      }
      hint={session && <HeaderWords session={session} />}
      action={session && <Actions session={session} />}
    >
      <Loaded query={query} skeleton={<Skeleton className="h-96 w-full" />}>
        {(known) =>
          known.state === 'running' ? (
            <Tabs
              shown={tab ?? 'terminal'}
              onShow={(next) => navigate(`/sessions/${id}/${next}`, { replace: true })}
              tabs={[
                { id: 'terminal', title: 'Terminal', keep: true, content: <Shells session={id} /> },
                {
                  id: 'metrics',
                  title: 'Metrics',
                  content: (
                    <Suspense fallback={<Skeleton className="h-64 w-full" />}>
                      <Metrics session={id} gpus={known.gpu_count} />
                    </Suspense>
                  ),
                },
                { id: 'ports', title: 'Ports', content: <Ports session={known} /> },
                { id: 'logs', title: 'Logs', content: <SessionLogs id={id} live /> },
                { id: 'events', title: 'Events', content: <Events id={id} /> },
                { id: 'about', title: 'About', content: <About session={known} /> },
              ]}
            />
          ) : active.has(known.state) ? (
            <>
              <Waiting session={known} />
              <Events id={id} />
              <About session={known} />
            </>
          ) : (
            <>
              <Ended session={known} />
              <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-2">
                <About session={known} />
                <Events id={id} />
              </div>
              <SessionLogs id={id} live={false} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function HeaderWords({ session }: { session: Session }) {
  const now = useNow();
  const end = session.ends_at ? Date.parse(session.ends_at) : undefined;
  return (
    <span className="num flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>{gpuWords(session)}</span>
      {session.node_name && <span className="font-mono text-xs">{session.node_name}</span>}
      {session.state === 'running' && end && (
        <span className="flex items-center gap-2">
          <Ring size={20} left={(end - now) / (session.time_limit_min * 60_000)} label="Time left" />
          {durationWords((end - now) / 1000)} left
        </span>
      )}
      {session.cost && Number(session.cost.amount) > 0 && (
        <span>{money(session.cost.amount, session.cost.currency)} so far</span>
      )}
      {session.state === 'running' && session.ssh_enabled && session.ssh_host && session.ssh_port && (
        <span className="flex items-center">
          <code className="font-mono text-xs">
            {sshLine(session).replace(session.id, `${session.id.slice(0, 8)}…`)}
          </code>
          <CopyButton text={sshLine(session)} name="Copy the SSH command" />
        </span>
      )}
    </span>
  );
}

function sshLine(session: Session): string {
  return `ssh -p ${session.ssh_port} ${session.id}@${session.ssh_host}`;
}

/** The name, changed where it stands. */
function Name({ session }: { session: Session }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const [edits, setEdits] = useState(false);
  const rename = useMutation({
    mutationFn: (name: string) =>
      call<Session>(`/api/sessions/${session.id}`, { method: 'PATCH', body: { name } }),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => {
      setEdits(false);
      return client.invalidateQueries({ queryKey: ['sessions'] });
    },
  });

  function keyDown(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Enter') event.currentTarget.blur();
    if (event.key === 'Escape') setEdits(false);
  }

  if (edits) {
    return (
      <input
        aria-label="Name of the session"
        defaultValue={rename.variables ?? session.name}
        maxLength={100}
        // biome-ignore lint/a11y/noAutofocus: it was asked for by a click
        autoFocus
        onKeyDown={keyDown}
        onBlur={(event) => {
          const name = event.target.value.trim();
          if (name === '' || name === session.name) setEdits(false);
          else rename.mutate(name);
        }}
        className="h-8 w-64 rounded-lg border border-line bg-surface px-2"
      />
    );
  }
  return (
    <span className="group flex items-center gap-1">
      {session.name}
      <IconButton name="Rename" className="size-7" onClick={() => setEdits(true)}>
        <Pencil aria-hidden="true" className="size-3.5" />
      </IconButton>
    </span>
  );
}

function Actions({ session }: { session: Session }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const toasts = useToasts();
  const [asks, setAsks] = useState(false);
  const renew = () => client.invalidateQueries({ queryKey: ['sessions'] });
  const extend = useMutation({
    mutationFn: (minutes: number) =>
      call<Session>(`/api/sessions/${session.id}/extend`, {
        method: 'POST',
        body: { minutes },
        idempotencyKey: newRequestId(),
      }),
    onSuccess: () => toasts.done('It has more time now.'),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: renew,
  });
  const stop = useMutation({
    mutationFn: () => call<void>(`/api/sessions/${session.id}`, { method: 'DELETE' }),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => {
      setAsks(false);
      return renew();
    },
  });
  const again = useMutation({
    mutationFn: () =>
      call<Session>(`/api/sessions/${session.id}/restart`, {
        method: 'POST',
        body: {},
        idempotencyKey: newRequestId(),
      }),
    onSuccess: (next) => navigate(`/sessions/${next.id}`),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: renew,
  });
  if (!active.has(session.state)) {
    return (
      <Button look="primary" busy={again.isPending} onClick={() => again.mutate()}>
        Start again
      </Button>
    );
  }
  return (
    <>
      {session.state === 'running' && (
        <Menu
          trigger={<Button busy={extend.isPending}>Extend …</Button>}
          entries={[60, 240, 1440].map((minutes) => ({
            text: `by ${durationWords(minutes * 60)}`,
            onSelect: () => extend.mutate(minutes),
          }))}
        />
      )}
      <Button look="danger" busy={session.state === 'stopping'} onClick={() => setAsks(true)}>
        {session.state === 'stopping' ? 'Stopping' : 'Stop'}
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={`Stop ${session.name}?`}
        hint="Its shells and whatever runs in them end now. Files in your home stay; what is only in memory or below /tmp is lost."
        action="Stop it"
        danger
        busy={stop.isPending}
        onConfirm={() => stop.mutate()}
      />
    </>
  );
}

function Waiting({ session }: { session: Session }) {
  const why = useQuery({
    ...whyQuery(String(session.spur_job_id)),
    enabled: session.spur_job_id !== null && session.state === 'pending',
  });
  return (
    <Card className="flex flex-col gap-2 p-6">
      <h2 className="font-semibold text-base">
        {session.state === 'stopping'
          ? 'It is ending'
          : session.state === 'creating'
            ? 'It is being made'
            : 'It waits for its place'}
      </h2>
      {session.state === 'pending' && (why.data?.because || session.reason) && (
        <p className="max-w-3xl text-ink-2">{why.data?.because || session.reason}</p>
      )}
      <p className="num text-ink-2">
        {session.queue_position ? `Place ${session.queue_position} in the queue. ` : ''}
        {session.expected_start && (
          <>
            Expected to start <ClockTime at={session.expected_start} /> (
            <RelativeTime at={session.expected_start} />
            ).{' '}
          </>
        )}
        {session.spur_job_id && session.state === 'pending' && (
          <Link to={`/jobs/${session.spur_job_id}`} className="text-accent-ink hover:underline">
            What would start it sooner
          </Link>
        )}
      </p>
      {session.state !== 'stopping' && (
        <p className="text-ink-3 text-xs">
          This page goes on by itself when it starts; nothing is charged until then.
        </p>
      )}
    </Card>
  );
}

function Ended({ session }: { session: Session }) {
  const words = {
    completed: 'It has ended.',
    cancelled: 'It was stopped.',
    failed: 'It has failed.',
  } as Record<string, string>;
  return (
    <Card className="flex flex-col gap-2 p-6">
      <h2 className="font-semibold text-base">{words[session.state] ?? 'It is over.'}</h2>
      {session.error_message && <p className="text-ink-2">{session.error_message}</p>}
      <p className="num text-ink-2">
        {session.started_at && (
          <>
            It ran for <Elapsed since={session.started_at} until={session.ended_at} />
            {session.cost ? ` and cost ${money(session.cost.amount, session.cost.currency)}` : ''}.
          </>
        )}
      </p>
    </Card>
  );
}

function About({ session }: { session: Session }) {
  return (
    <Card>
      <CardTitle>About</CardTitle>
      <Facts
        facts={[
          ['Hardware', gpuWords(session)],
          ['Environment', session.template ?? session.container_image ?? '–'],
          ['Node', session.node_name ?? 'none yet'],
          [
            'Job',
            session.spur_job_id ? (
              <Link key="j" to={`/jobs/${session.spur_job_id}`} className="text-accent-ink hover:underline">
                {session.spur_job_id}
              </Link>
            ) : (
              'none yet'
            ),
          ],
          ['CPUs', session.cpus],
          ['Memory', session.memory_mb ? bytes(session.memory_mb * 2 ** 20) : 'as its node has'],
          ...(session.project ? ([['Project', session.project]] as const) : []),
          ['Time limit', durationWords(session.time_limit_min * 60)],
          ['Created', <ClockTime key="c" at={session.created_at} />],
          ['Started', session.started_at ? <ClockTime key="s" at={session.started_at} /> : '–'],
          ['Ended', session.ended_at ? <ClockTime key="e" at={session.ended_at} /> : '–'],
        ]}
      />
    </Card>
  );
}
