import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { call, newRequestId, troubleOf } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { active, gpuWords, type Session, sessionQuery } from '~/api/sessions';
import { Button, IconButton } from '~/ui/Button';
import { Card, CardTitle, Facts } from '~/ui/Card';
import { CommandLine } from '~/ui/Copy';
import { classes } from '~/ui/classes';
import { Skeleton } from '~/ui/Feedback';
import { Ring } from '~/ui/Meter';
import { money } from '~/ui/numbers';
import { Confirm, Menu } from '~/ui/Overlay';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { lookOfSession, stateWords } from '~/ui/states';
import { Tabs } from '~/ui/Tabs';
import { ClockTime, durationWords, Elapsed, RelativeTime, useNow } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';
import { SessionLogs } from './SessionLogs';

const Terminal = lazy(() => import('~/features/terminal/Terminal').then((m) => ({ default: m.Terminal })));

export default function SessionDetailPage() {
  const { id = '', tab } = useParams();
  const navigate = useNavigate();
  const query = useQuery(sessionQuery(id));
  const session = query.data;
  return (
    <Page
      wide
      title={
        <span className="flex flex-wrap items-center gap-3">
          {session?.name ?? 'Session'}
          {session && <StatePill look={lookOfSession(session.state)}>{stateWords(session.state)}</StatePill>}
        </span>
      }
      hint={session && <HeaderWords session={session} />}
      action={session && <Actions session={session} />}
    >
      <Loaded query={query} skeleton={<Skeleton className="h-96 w-full" />}>
        {(known) =>
          known.state === 'running' ? (
            <>
              {known.ssh_enabled && known.ssh_host && known.ssh_port && (
                <CommandLine text={`ssh ${known.id}@${known.ssh_host} -p ${known.ssh_port}`} />
              )}
              <Tabs
                shown={tab ?? 'terminal'}
                onShow={(next) => navigate(`/sessions/${id}/${next}`, { replace: true })}
                tabs={[
                  { id: 'terminal', title: 'Terminal', keep: true, content: <Shells session={id} /> },
                  { id: 'logs', title: 'Logs', content: <SessionLogs id={id} live /> },
                  { id: 'about', title: 'About', content: <About session={known} /> },
                ]}
              />
            </>
          ) : active.has(known.state) ? (
            <>
              <Waiting session={known} />
              <About session={known} />
            </>
          ) : (
            <>
              <Ended session={known} />
              <SessionLogs id={id} live={false} />
              <About session={known} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function HeaderWords({ session }: { session: Session }) {
  const now = useNow();
  const end = session.expires_at ? Date.parse(session.expires_at) : undefined;
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
      {session.cost && session.currency && <span>{money(session.cost, session.currency)} so far</span>}
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
  if (!active.has(session.state)) {
    return (
      <Button
        look="primary"
        onClick={() => navigate(`/sessions/new?gpu=${session.gpu_type}&count=${session.gpu_count}`)}
      >
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

/** Several shells beside each other, each one going on while another is shown. */
function Shells({ session }: { session: string }) {
  const [shells, setShells] = useState<readonly string[]>(['1']);
  const [shown, setShown] = useState('1');
  const next = String(Math.max(...shells.map(Number)) + 1);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-1" role="tablist" aria-label="Shells">
        {shells.map((shell) => (
          <span
            key={shell}
            className={classes(
              'flex items-center rounded-lg',
              shell === shown ? 'bg-accent/10 text-accent-ink' : 'text-ink-2 hover:bg-sunken',
            )}
          >
            <button
              type="button"
              role="tab"
              aria-selected={shell === shown}
              className="h-8 px-3"
              onClick={() => setShown(shell)}
            >
              Shell {shell}
            </button>
            {shells.length > 1 && (
              <button
                type="button"
                aria-label={`Close the view of shell ${shell}`}
                className="pr-2"
                onClick={() => {
                  const left = shells.filter((each) => each !== shell);
                  setShells(left);
                  if (shown === shell) setShown(left[0] ?? '1');
                }}
              >
                <X aria-hidden="true" className="size-3.5" />
              </button>
            )}
          </span>
        ))}
        <IconButton
          name="Another shell"
          onClick={() => {
            setShells([...shells, next]);
            setShown(next);
          }}
        >
          <Plus aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
      {shells.map((shell) => (
        <div key={shell} hidden={shell !== shown}>
          <Suspense fallback={<Skeleton className="h-96 w-full" />}>
            <Terminal session={session} shell={shell} />
          </Suspense>
        </div>
      ))}
    </div>
  );
}

function Waiting({ session }: { session: Session }) {
  return (
    <Card className="flex flex-col gap-2 p-6">
      <h2 className="font-semibold text-base">
        {session.state === 'stopping' ? 'It is ending' : 'It waits for its place'}
      </h2>
      {session.reason && <p className="text-ink-2">{session.reason}</p>}
      <p className="num text-ink-2">
        {session.queue_position ? `Place ${session.queue_position} in the queue. ` : ''}
        {session.expected_start && (
          <>
            Expected to start <ClockTime at={session.expected_start} /> (
            <RelativeTime at={session.expected_start} />
            ).
          </>
        )}
      </p>
      <p className="text-ink-3 text-xs">
        This page goes on by itself when it starts; nothing is charged until then.
      </p>
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
            {session.cost && session.currency ? ` and cost ${money(session.cost, session.currency)}` : ''}.
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
          ['Job', session.spur_job_id ?? 'none yet'],
          ['Time limit', durationWords(session.time_limit_min * 60)],
          ['Created', <ClockTime key="c" at={session.created_at} />],
          ['Started', session.started_at ? <ClockTime key="s" at={session.started_at} /> : '–'],
          ['Ended', session.ended_at ? <ClockTime key="e" at={session.ended_at} /> : '–'],
        ]}
      />
    </Card>
  );
}
