import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useParams } from 'react-router';
import { call, newRequestId, troubleOf } from '~/api/client';
import { gpusOf, gpuTypes, type Node, nodeQuery, pingQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { useMe } from '~/features/auth/session';
import { Button } from '~/ui/Button';
import { Card, CardTitle, Facts } from '~/ui/Card';
import { Skeleton } from '~/ui/Feedback';
import { TextField } from '~/ui/Field';
import { Meter } from '~/ui/Meter';
import { bytes, plural } from '~/ui/numbers';
import { Dialog } from '~/ui/Overlay';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { lookOfNode, nodeWords } from '~/ui/states';
import { RelativeTime } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';
import { WorkHere } from './WorkHere';

export function NodePage() {
  const { name = '' } = useParams();
  const me = useMe();
  const query = useQuery(nodeQuery(name));
  return (
    <Page
      title={
        <span className="flex flex-wrap items-center gap-3">
          {name}
          {query.data && (
            <StatePill look={lookOfNode(query.data.states)}>{nodeWords(query.data.states)}</StatePill>
          )}
        </span>
      }
      hint={query.data?.partitions.join(', ')}
      action={me.is_admin && query.data && <DrainOrResume node={query.data} />}
    >
      <Loaded query={query} skeleton={<Skeleton className="h-72 w-full" />}>
        {(node) => (
          <>
            {node.reason && (
              <Card className="p-4">
                <p className="font-medium">{node.reason}</p>
                <p className="text-ink-2">
                  {node.reason_user && `said by ${node.reason_user}`}{' '}
                  {node.reason_at && <RelativeTime at={node.reason_at} />}
                </p>
              </Card>
            )}
            <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
              <Use node={node} />
              <Card>
                <CardTitle>Hardware</CardTitle>
                <Facts
                  facts={[
                    ['Processor', node.architecture || '–'],
                    ['Layout', layoutWords(node)],
                    ['System', node.operating_system || '–'],
                    ['Features', node.features.join(', ') || 'none'],
                    ['Agent', `${node.version || '–'}`],
                    ['Up since', node.booted_at ? <RelativeTime key="b" at={node.booted_at} /> : '–'],
                  ]}
                />
              </Card>
            </div>
            <WorkHere node={node} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function layoutWords(node: Node): string {
  const cores = `${plural(node.sockets, 'socket')} with ${plural(node.cores_per_socket, 'core')} each`;
  return node.threads_per_core > 1 ? `${cores}, ${node.threads_per_core} threads per core` : cores;
}

function Use({ node }: { node: Node }) {
  const gpus = gpusOf(node.tres);
  const rows = [
    ['CPUs', node.cpus_allocated, node.cpus, `${node.cpus_allocated} of ${node.cpus}`],
    [
      'Memory',
      node.memory_allocated_mb,
      node.memory_mb,
      `${bytes(node.memory_allocated_mb * 2 ** 20)} of ${bytes(node.memory_mb * 2 ** 20)}`,
    ],
    ...(gpus > 0
      ? ([
          [
            `GPUs (${
              gpuTypes(node.tres)
                .map(([type]) => type)
                .join(', ') || 'untyped'
            })`,
            gpusOf(node.tres_allocated),
            gpus,
            `${gpusOf(node.tres_allocated)} of ${gpus}`,
          ],
        ] as const)
      : []),
  ] as const;
  return (
    <Card>
      <CardTitle>In use</CardTitle>
      <div className="flex flex-col gap-4 p-4">
        {rows.map(([title, used, whole, words]) => (
          <div key={title} className="flex flex-col gap-1.5">
            <div className="num flex justify-between">
              <span>{title}</span>
              <span className="text-ink-2">{words}</span>
            </div>
            <Meter
              label={title}
              whole={whole}
              parts={[{ name: 'in use', value: used, colour: 'bg-running-fill' }]}
            />
          </div>
        ))}
      </div>
    </Card>
  );
}

function DrainOrResume({ node }: { node: Node }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const [asks, setAsks] = useState(false);
  const you = useQuery(pingQuery()).data?.you;
  const because =
    you?.role === 'user'
      ? `On the cluster you are ${you.user}, who does not administer it. Link an account that does in your settings.`
      : undefined;
  const drained = node.states.some((state) => /DRAIN|DOWN/.test(state));
  const act = useMutation({
    mutationFn: (reason: string | undefined) =>
      call<unknown>(
        `/api/v1/nodes/${encodeURIComponent(node.name)}/${reason === undefined ? 'resume' : 'drain'}`,
        {
          method: 'POST',
          body: reason === undefined ? {} : { reason },
          idempotencyKey: newRequestId(),
        },
      ),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => {
      setAsks(false);
      return client.invalidateQueries({ queryKey: ['nodes'] });
    },
  });

  function drain(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    act.mutate(String(new FormData(event.currentTarget).get('reason')));
  }

  if (drained) {
    return (
      <Button look="primary" busy={act.isPending} because={because} onClick={() => act.mutate(undefined)}>
        Resume
      </Button>
    );
  }
  return (
    <>
      <Button because={because} onClick={() => setAsks(true)}>
        Drain …
      </Button>
      <Dialog
        open={asks}
        onClose={() => setAsks(false)}
        title={`Drain ${node.name}?`}
        hint="What runs goes on to its end; nothing new starts here."
      >
        <form onSubmit={drain} className="flex flex-col gap-4">
          <TextField
            label="Reason"
            name="reason"
            required
            maxLength={200}
            autoFocus
            hint="Everybody sees it."
          />
          <Button look="primary" type="submit" busy={act.isPending} className="self-end">
            Drain it
          </Button>
        </form>
      </Dialog>
    </>
  );
}
