import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { liveJobsQuery, type Node, nodesQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Card, CardTitle } from '~/ui/Card';
import { EmptyState, Skeleton } from '~/ui/Feedback';
import { Choice } from '~/ui/Field';
import { Meter } from '~/ui/Meter';
import { count, percent } from '~/ui/numbers';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { lookOfNode, nodeWords, type StateLook } from '~/ui/states';
import { RelativeTime } from '~/ui/Time';
import { NodeMap } from './NodeMap';
import { type Grouping, totalsOf } from './tiles';

const legend: readonly (readonly [StateLook, string])[] = [
  ['running', 'In use'],
  ['idle', 'Free'],
  ['reserved', 'Reserved'],
  ['completing', 'Completing'],
  ['drained', 'Drained'],
  ['down', 'Down'],
];

/** The cluster as one picture: what is used, what is free, what needs somebody. */
export function OverviewPage() {
  const navigate = useNavigate();
  const [by, setBy] = useState<Grouping>('partition');
  const query = useQuery(nodesQuery());
  return (
    <Page
      wide
      title="Cluster"
      action={
        <Choice
          label="Group nodes by"
          value={by}
          onChange={setBy}
          options={[
            { value: 'partition', text: 'By partition' },
            { value: 'rack', text: 'By rack' },
          ]}
        />
      }
    >
      <Loaded
        query={query}
        skeleton={<Skeleton className="h-96 w-full" />}
        empty={{
          when: (nodes) => nodes.length === 0,
          show: (
            <EmptyState
              title="This cluster has no nodes yet"
              body="They appear here as soon as their agents connect."
            />
          ),
        }}
      >
        {(nodes) => (
          <>
            <Numbers nodes={nodes} />
            <div className="grid items-start grid-cols-1 gap-4 xl:grid-cols-[minmax(0,1fr)_340px]">
              <Card className="flex flex-col gap-4 p-4">
                <ul aria-label="What the colours mean" className="flex flex-wrap gap-2">
                  {legend.map(([look, text]) => (
                    <li key={look}>
                      <StatePill look={look}>{text}</StatePill>
                    </li>
                  ))}
                </ul>
                <NodeMap
                  nodes={nodes}
                  by={by}
                  onOpen={(node) => navigate(`/nodes/${encodeURIComponent(node.name)}`)}
                />
              </Card>
              <Attention nodes={nodes} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Numbers({ nodes }: { nodes: readonly Node[] }) {
  const totals = totalsOf(nodes);
  const jobs = useQuery(liveJobsQuery());
  const running = jobs.data?.filter((job) => job.states.includes('RUNNING')).length;
  const waiting = jobs.data?.filter((job) => job.states.includes('PENDING')).length;
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2 xl:grid-cols-4">
      <Figure
        title="GPUs in use"
        value={totals.gpus === 0 ? 'none here' : `${count(totals.gpusUsed)} of ${count(totals.gpus)}`}
        note={
          totals.gpusAway > 0
            ? `${count(totals.gpusAway)} away with their nodes`
            : percent(totals.gpusUsed, totals.gpus)
        }
      >
        <Meter
          label="GPUs"
          whole={totals.gpus}
          parts={[
            { name: 'in use', value: totals.gpusUsed, colour: 'bg-running-fill' },
            { name: 'away', value: totals.gpusAway, colour: 'bg-drained-fill', pattern: true },
          ]}
        />
      </Figure>
      <Figure
        title="CPUs in use"
        value={`${count(totals.cpusUsed)} of ${count(totals.cpus)}`}
        note={percent(totals.cpusUsed, totals.cpus)}
      >
        <Meter
          label="CPUs"
          whole={totals.cpus}
          parts={[{ name: 'in use', value: totals.cpusUsed, colour: 'bg-running-fill' }]}
        />
      </Figure>
      <Figure
        title="Running jobs"
        value={running === undefined ? '…' : count(running)}
        note={
          <Link to="/queue?state=RUNNING" className="hover:underline">
            Show them
          </Link>
        }
      />
      <Figure
        title="Waiting jobs"
        value={waiting === undefined ? '…' : count(waiting)}
        note={
          <Link to="/queue?state=PENDING" className="hover:underline">
            Show them
          </Link>
        }
      />
    </div>
  );
}

function Figure({
  title,
  value,
  note,
  children,
}: {
  title: string;
  value: string;
  note?: React.ReactNode;
  children?: React.ReactNode;
}) {
  return (
    <Card className="flex flex-col gap-2 p-4">
      <p className="text-ink-3 text-xs">{title}</p>
      <p className="num font-semibold text-lg">{value}</p>
      {children}
      <p className="num text-ink-2 text-xs">{note}</p>
    </Card>
  );
}

function Attention({ nodes }: { nodes: readonly Node[] }) {
  const troubled = nodes
    .filter((node) => ['down', 'drained'].includes(lookOfNode(node.states)))
    .sort((a, b) => (b.reason_at ?? '').localeCompare(a.reason_at ?? ''));
  return (
    <Card>
      <CardTitle>Needs attention</CardTitle>
      {troubled.length === 0 ? (
        <EmptyState title="Nothing does" body="Every node is up and takes jobs." />
      ) : (
        <ul className="max-h-[60vh] divide-y divide-line overflow-y-auto">
          {troubled.slice(0, 200).map((node) => (
            <li key={node.name} className="flex flex-col gap-1 px-4 py-2.5">
              <div className="flex items-center justify-between gap-2">
                <Link
                  to={`/nodes/${node.name}`}
                  className="font-mono text-accent-ink text-xs hover:underline"
                >
                  {node.name}
                </Link>
                <StatePill look={lookOfNode(node.states)}>{nodeWords(node.states)}</StatePill>
              </div>
              <p className="text-ink-2">
                {node.reason || 'No reason was given.'}
                {node.reason_at && (
                  <span className="text-ink-3">
                    {' '}
                    <RelativeTime at={node.reason_at} />
                  </span>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
