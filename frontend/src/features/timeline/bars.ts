import { gpusOf, type Job, jobKey, type Node, type Reservation } from '~/api/cluster';
import { expandHosts } from '~/api/hostlist';
import { plural } from '~/ui/numbers';
import type { Bar, Row } from './Gantt';

/** Nodes by partition, each once. */
export function rowsOf(nodes: readonly Node[]): Row[] {
  // Partitions stand in the order in which the configuration names their first nodes.
  const order = [...new Set(nodes.map((node) => node.partitions[0] ?? 'No partition'))];
  const place = (row: Row) => order.indexOf(row.group);
  return nodes
    .map((node) => ({ id: node.name, group: node.partitions[0] ?? 'No partition' }))
    .sort((a, b) => place(a) - place(b) || a.id.localeCompare(b.id, undefined, { numeric: true }));
}

/** What runs and what is planned, a bar for each of its nodes. Jobs without a planned place have none. */
export function barsOf(jobs: readonly Job[], reservations: readonly Reservation[]): Bar[] {
  const bars: Bar[] = [];
  const arrays = new Map<string, Together>();
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
    const waits = job.states.includes('PENDING');
    const nodes = waits ? job.planned_nodes : job.nodes;
    if (!job.started_at || !nodes) continue;
    const from = Date.parse(job.started_at);
    const limit = job.time_limit === null ? null : from + job.time_limit * 60_000;
    const gpus = gpusOf(job.tres_allocated) || gpusOf(job.tres);
    for (const row of expandHosts(nodes)) {
      const together =
        job.array_id !== null && withTasks(arrays, `${row} ${job.array_id} ${waits}`, limit, from);
      if (together) continue;
      const bar: Bar = {
        id: jobKey(job),
        row,
        from,
        until: job.ends_at ? Date.parse(job.ends_at) : limit,
        kind: waits ? 'planned' : 'running',
        title: `${shortName(job.name)} ${jobKey(job)}`,
        detail: `${job.user} · ${gpus > 0 ? plural(gpus, 'GPU') : plural(job.cpus, 'CPU')} on ${plural(job.node_count, 'node')}`,
      };
      bars.push(bar);
      if (job.array_id !== null) {
        arrays.set(`${row} ${job.array_id} ${waits}`, { bar, tasks: 1, name: job.name, array: job.array_id });
      }
    }
  }
  return bars;
}

interface Together {
  bar: Bar;
  tasks: number;
  name: string;
  array: number;
}

/** Tasks of one array on one node are one bar, as long as the longest of them. */
function withTasks(arrays: Map<string, Together>, key: string, until: number | null, from: number): boolean {
  const known = arrays.get(key);
  if (!known) return false;
  known.tasks++;
  known.bar.id = String(known.array);
  known.bar.from = Math.min(known.bar.from, from);
  known.bar.until = known.bar.until === null || until === null ? null : Math.max(known.bar.until, until);
  known.bar.title = `${known.name} ${known.array}, ${known.tasks} tasks`;
  return true;
}

/** Jobs of sessions carry the session's id. */
function shortName(name: string): string {
  return name.replace(/^(session-[0-9a-f]{8})-[0-9a-f-]{27}$/, '$1');
}
