import { gpusOf, type Job, type Node } from '~/api/cluster';
import { expandHosts } from '~/api/hostlist';
import { type Price, pricePerHour } from '~/api/sessions';
import { lookOfNode } from '~/ui/states';

export interface Wish {
  gpuType: string;
  gpuCount: number;
  cpus: number;
}

export type Start =
  | { kind: 'now'; node: string }
  /** At the latest: jobs may end before their time. */
  | { kind: 'later'; at: number; ahead: number }
  | { kind: 'unknown' };

type Running = Pick<
  Job,
  'nodes' | 'node_count' | 'ends_at' | 'tres_allocated' | 'cpus' | 'states' | 'tres' | 'partition'
>;

const fresh = new Set(['idle', 'running', 'completing', 'pending']);

/** CPUs that come with so many GPUs, as the cloud gives them: their part of the smallest node that has them, eight at most. */
export function cpusWith(nodes: readonly Node[], gpuType: string, gpuCount: number): number {
  const parts = nodes
    .filter((node) => (node.tres[`gres/gpu:${gpuType}`] ?? 0) >= gpuCount)
    .map((node) => Math.floor((node.cpus * gpuCount) / (node.tres[`gres/gpu:${gpuType}`] ?? 1)));
  return Math.max(1, Math.min(8, ...parts));
}

/** When some node will have room by what is known now. */
export function startOf(wish: Wish, nodes: readonly Node[], jobs: readonly Running[]): Start {
  const gpu = wish.gpuType === 'none' ? undefined : `gres/gpu:${wish.gpuType}`;
  const suitable = nodes.filter(
    (node) =>
      fresh.has(lookOfNode(node.states)) &&
      node.cpus >= wish.cpus &&
      (gpu === undefined || (node.tres[gpu] ?? 0) >= wish.gpuCount),
  );
  const free = new Map(
    suitable.map((node) => [
      node.name,
      {
        cpus: node.cpus - node.cpus_allocated,
        gpus: gpu === undefined ? 0 : (node.tres[gpu] ?? 0) - (node.tres_allocated[gpu] ?? 0),
      },
    ]),
  );
  const fits = (room: { cpus: number; gpus: number }) =>
    room.cpus >= wish.cpus && room.gpus >= (gpu === undefined ? 0 : wish.gpuCount);
  for (const [node, room] of free) {
    if (fits(room)) return { kind: 'now', node };
  }
  const partitions = new Set(suitable.flatMap((node) => node.partitions));
  const ahead = jobs.filter(
    (job) =>
      job.states.includes('PENDING') &&
      gpusOf(job.tres) > 0 === (gpu !== undefined) &&
      job.partition.split(',').some((each) => partitions.has(each)),
  ).length;
  const ends = jobs
    .filter((job) => job.ends_at !== null && !job.states.includes('PENDING'))
    .sort((a, b) => Date.parse(a.ends_at ?? '') - Date.parse(b.ends_at ?? ''));
  for (const job of ends) {
    const share = 1 / Math.max(1, job.node_count);
    for (const name of expandHosts(job.nodes)) {
      const room = free.get(name);
      if (!room) continue;
      room.cpus += job.cpus * share;
      room.gpus += gpusOf(job.tres_allocated) * share;
      if (fits(room)) return { kind: 'later', at: Date.parse(job.ends_at ?? ''), ahead };
    }
  }
  return { kind: 'unknown' };
}

export interface Charge {
  perHour: number;
  total: number;
  currency: string;
}

/** What it costs if it runs to its end; nothing where there is no price. */
export function chargeOf(
  wish: Wish,
  minutes: number,
  prices: readonly Price[],
  now: number,
): Charge | undefined {
  const gpu = wish.gpuCount > 0 ? pricePerHour(prices, `gpu:${wish.gpuType}`, now) : undefined;
  const cpu = pricePerHour(prices, 'cpu', now);
  const currency = gpu?.currency ?? cpu?.currency;
  if (currency === undefined) return undefined;
  const perHour = Number(gpu?.per_hour ?? 0) * wish.gpuCount + Number(cpu?.per_hour ?? 0) * wish.cpus;
  return { perHour, total: (perHour * minutes) / 60, currency };
}
