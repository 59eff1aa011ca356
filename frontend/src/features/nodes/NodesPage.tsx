import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { gpusOf, type Node, nodesQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Card } from '~/ui/Card';
import { type Column, DataTable, type Sorting } from '~/ui/DataTable';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { bytes, plural } from '~/ui/numbers';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { lookOfNode, nodeWords } from '~/ui/states';
import { RelativeTime } from '~/ui/Time';

const columns: readonly Column<Node>[] = [
  {
    id: 'name',
    title: 'Node',
    width: 'minmax(110px,1fr)',
    sort: 'name',
    cell: (node) => <span className="font-mono text-xs">{node.name}</span>,
  },
  {
    id: 'state',
    title: 'State',
    width: '150px',
    sort: 'state',
    cell: (node) => <StatePill look={lookOfNode(node.states)}>{nodeWords(node.states)}</StatePill>,
  },
  {
    id: 'gpus',
    title: 'GPUs',
    width: '90px',
    numeric: true,
    sort: 'gpus',
    cell: (node) => (gpusOf(node.tres) > 0 ? `${gpusOf(node.tres_allocated)} / ${gpusOf(node.tres)}` : '–'),
  },
  {
    id: 'cpus',
    title: 'CPUs',
    width: '100px',
    numeric: true,
    sort: 'cpus',
    cell: (node) => `${node.cpus_allocated} / ${node.cpus}`,
  },
  {
    id: 'memory',
    title: 'Memory',
    width: '160px',
    numeric: true,
    cell: (node) => `${bytes(node.memory_allocated_mb * 2 ** 20)} / ${bytes(node.memory_mb * 2 ** 20)}`,
  },
  {
    id: 'partitions',
    title: 'Partitions',
    width: 'minmax(100px,1fr)',
    cell: (node) => node.partitions.join(', '),
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 'minmax(160px,2fr)',
    cell: (node) =>
      node.reason && (
        <>
          {node.reason}
          {node.reason_at && (
            <span className="text-ink-3">
              {' '}
              (<RelativeTime at={node.reason_at} />)
            </span>
          )}
        </>
      ),
  },
];

const order: Record<string, (node: Node) => string | number> = {
  name: (node) => node.name,
  state: (node) => node.state,
  gpus: (node) => gpusOf(node.tres_allocated),
  cpus: (node) => node.cpus_allocated,
};

export function NodesPage() {
  const navigate = useNavigate();
  const [parameters, setParameters] = useSearchParams();
  const [sorting, setSorting] = useState<Sorting>({ by: 'name', descending: false });
  const query = useQuery(nodesQuery());
  const text = parameters.get('text') ?? '';
  const rows = useMemo(() => {
    const wanted = text.toLowerCase();
    const key = order[sorting.by] ?? ((node: Node) => node.name);
    const up = sorting.descending ? -1 : 1;
    return (query.data ?? [])
      .filter((node) =>
        [node.name, node.state, node.reason, ...node.partitions, ...node.features].some((each) =>
          each.toLowerCase().includes(wanted),
        ),
      )
      .sort((a, b) => {
        const [x, y] = [key(a), key(b)];
        return (
          up *
          (typeof x === 'number' && typeof y === 'number'
            ? x - y
            : String(x).localeCompare(String(y), undefined, { numeric: true }))
        );
      });
  }, [query.data, text, sorting]);

  return (
    <Page wide title="Nodes" hint={query.data && plural(query.data.length, 'node')}>
      <input
        type="search"
        aria-label="Find nodes"
        placeholder="Name, state, partition, feature …"
        value={text}
        onChange={(event) =>
          setParameters(event.target.value ? { text: event.target.value } : {}, { replace: true })
        }
        className="h-9 w-full max-w-sm rounded-lg border border-line bg-surface px-3 placeholder:text-ink-3"
      />
      <Loaded
        query={query}
        skeleton={
          <Card>
            <SkeletonRows rows={8} label="Loading nodes" />
          </Card>
        }
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
        {() =>
          rows.length === 0 ? (
            <EmptyState
              title="No node fits"
              body={`Nothing has "${text}" in its name, state, partition or features.`}
            />
          ) : (
            <Card className="overflow-hidden">
              <DataTable
                label="Nodes"
                columns={columns}
                rows={rows}
                keyOf={(node) => node.name}
                sorting={sorting}
                onSort={setSorting}
                onOpen={(node) => navigate(`/nodes/${encodeURIComponent(node.name)}`)}
                height="calc(100dvh - 16rem)"
              />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}
