import { gpusOf, type Job, jobKey, type Node, type Reservation } from '~/api/cluster';
import { expandHosts } from '~/api/hostlist';
import type { Bar, Row } from './Gantt';

/** Nodes by partition, each once. */
export function rowsOf(nodes: readonly Node[]): Row[] {
  return nodes
    .map((node) => ({ id: node.name, group: node.partitions[0] ?? 'No partition' }))
    .sort((a, b) => a.group.localeCompare(b.group) || a.id.localeCompare(b.id, undefined, { numeric: true }));
}

/** What runs and what is planned, a bar for each of its nodes. Jobs without a planned place have none. */
export function barsOf(jobs: readonly Job[], reservations: readonly Reservation[]): Bar[] {
  const bars: Bar[] = [];
  for (const reservation of reservations) {
    if (!reservation.starts_at) continue;
    for (const row of expandHosts(reservation.nodes)) {
      bars.push({
        id: `reservation ${reservation.name}`,
        row,
        from: Date.parse(reservation.starts_at),
        until: reservation.ends_at ? Date.parse(reservation.ends_at) : null,
        kind: 'reservation',
        title: reservation.name,
        detail: reservation.flags.join(', '),
      });
    }
  }
  for (const job of jobs) {
    if (!job.started_at || !job.nodes) continue;
    const gpus = gpusOf(job.tres_allocated) || gpusOf(job.tres);
    for (const row of expandHosts(job.nodes)) {
      bars.push({
        id: jobKey(job),
        row,
        from: Date.parse(job.started_at),
        until: job.ends_at ? Date.parse(job.ends_at) : null,
        kind: job.states.includes('PENDING') ? 'planned' : 'running',
        title: `${jobKey(job)} ${job.name}`,
        detail: `${job.user} · ${gpus > 0 ? `${gpus} GPUs` : `${job.cpus} CPUs`} on ${job.node_count} ${job.node_count === 1 ? 'node' : 'nodes'}`,
      });
    }
  }
  return bars;
}
