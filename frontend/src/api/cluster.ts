import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError, call } from './client';

/** What `/api/v1` tells of the cluster, in the name of whoever is signed in. */
export interface Job {
  id: number;
  array_job_id: number;
  array_task: number | null;
  array_waiting: string;
  array_tasks: string;
  name: string;
  user: string;
  account: string;
  qos: string;
  partition: string;
  reservation: string;
  comment: string;
  state: string;
  states: readonly string[];
  reason: string;
  reason_detail: string;
  held: boolean;
  priority: number;
  dependency: string;
  submitted_at: string | null;
  eligible_at: string | null;
  started_at: string | null;
  ends_at: string | null;
  suspended_at: string | null;
  run_seconds: number;
  time_limit: number | null;
  exit: { code: number; signal: number } | null;
  restarts: number;
  attempt: number;
  batch: boolean;
  batch_host: string;
  nodes: string;
  node_count: number;
  cpus: number;
  tasks: number;
  tres: Readonly<Record<string, number>>;
  tres_allocated: Readonly<Record<string, number>>;
  gres_detail: readonly string[];
  command: string;
  work_dir: string;
  std_out: string;
  std_err: string;
}

export interface Step {
  id: string;
  name: string;
  state: string;
  nodes: string;
  tasks: number;
  cpus: number;
  started_at: string | null;
  run_seconds: number;
}

export interface Node {
  name: string;
  state: string;
  states: readonly string[];
  reason: string;
  reason_user: string;
  reason_at: string | null;
  partitions: readonly string[];
  features: readonly string[];
  cpus: number;
  cpus_allocated: number;
  cpu_load_percent: number | null;
  memory_mb: number;
  memory_allocated_mb: number;
  memory_free_mb: number | null;
  gres: string;
  gres_used: string;
  devices: unknown;
  tres: Readonly<Record<string, number>>;
  tres_allocated: Readonly<Record<string, number>>;
  booted_at: string | null;
  agent_started_at: string | null;
  architecture: string;
  processor: string;
  operating_system: string;
  sockets: number;
  cores_per_socket: number;
  threads_per_core: number;
  version: string;
  weight: number;
}

export interface Partition {
  name: string;
  default: boolean;
  state: string;
  nodes: string;
  node_count: number;
  cpus: number;
  max_time: number | null;
  default_time: number | null;
}

export interface Reservation {
  name: string;
  starts_at: string | null;
  ends_at: string | null;
  nodes: string;
  node_count: number;
  users: readonly string[];
  accounts: readonly string[];
  flags: readonly string[];
  partition: string;
  state: string;
}

/** Why a job waits, in words, and what would start it sooner. */
export interface Explanation {
  summary: string;
  obstacles: readonly { text: string; jobs?: readonly string[] }[];
  expected_start: string | null;
  position: number | null;
  suggestions: readonly {
    text: string;
    change: Readonly<Record<string, string>>;
    expected_start: string | null;
  }[];
}

type Paged<Key extends string, Row> = Record<Key, readonly Row[]> & { next: string | null; total: number };

export interface JobFilter {
  state?: string | undefined;
  user?: string | undefined;
  partition?: string | undefined;
  account?: string | undefined;
  name?: string | undefined;
  sort?: string | undefined;
}

const pageSize = 200;
const listFields =
  'id,array_job_id,array_task,array_waiting,name,user,account,qos,partition,state,states,reason,held,priority,submitted_at,started_at,ends_at,run_seconds,time_limit,nodes,node_count,cpus,tres,tres_allocated';

export const jobsQuery = (filter: JobFilter) =>
  infiniteQueryOptions({
    queryKey: ['jobs', filter],
    queryFn: ({ pageParam, signal }) =>
      call<Paged<'jobs', Job>>('/api/v1/jobs', {
        query: { ...filter, fields: listFields, limit: pageSize, after: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: 15_000,
  });

/** All that runs or waits, for the timeline and the overview: few fields of each. */
export const liveJobsQuery = () =>
  queryOptions({
    queryKey: ['jobs', 'live'],
    queryFn: async ({ signal }) => {
      const page = await call<Paged<'jobs', Job>>('/api/v1/jobs', {
        query: {
          state: 'RUNNING,SUSPENDED,COMPLETING,PENDING',
          fields:
            'id,array_job_id,array_task,name,user,partition,state,states,reason,started_at,ends_at,nodes,node_count,cpus,tres_allocated,tres',
          limit: 10_000,
        },
        signal,
      });
      return page.jobs;
    },
    refetchInterval: 15_000,
  });

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'one', id],
    queryFn: ({ signal }) => call<Job>(`/api/v1/jobs/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: 10_000,
  });

export const stepsQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'steps', id],
    queryFn: async ({ signal }) =>
      (await call<Paged<'steps', Step>>(`/api/v1/jobs/${encodeURIComponent(id)}/steps`, { signal })).steps,
    refetchInterval: 10_000,
  });

export const scriptQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'script', id],
    queryFn: ({ signal }) => call<string>(`/api/v1/jobs/${encodeURIComponent(id)}/script`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const whyQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'why', id],
    queryFn: ({ signal }) => call<Explanation>(`/api/v1/jobs/${encodeURIComponent(id)}/why`, { signal }),
    refetchInterval: 15_000,
  });

export const nodesQuery = () =>
  queryOptions({
    queryKey: ['nodes'],
    queryFn: async ({ signal }) =>
      (await call<Paged<'nodes', Node>>('/api/v1/nodes', { query: { limit: 10_000 }, signal })).nodes,
    refetchInterval: 15_000,
  });

export const nodeQuery = (name: string) =>
  queryOptions({
    queryKey: ['nodes', name],
    queryFn: ({ signal }) => call<Node>(`/api/v1/nodes/${encodeURIComponent(name)}`, { signal }),
    refetchInterval: 10_000,
  });

export const partitionsQuery = () =>
  queryOptions({
    queryKey: ['partitions'],
    queryFn: async ({ signal }) =>
      (await call<Paged<'partitions', Partition>>('/api/v1/partitions', { signal })).partitions,
    staleTime: 30_000,
  });

export const reservationsQuery = () =>
  queryOptions({
    queryKey: ['reservations'],
    queryFn: async ({ signal }): Promise<readonly Reservation[]> => {
      try {
        return (await call<Paged<'reservations', Reservation>>('/api/v1/reservations', { signal }))
          .reservations;
      } catch (error) {
        // A cluster of an older version has none, which is not a failure of this page.
        if (error instanceof ApiError && error.status === 404) return [];
        throw error;
      }
    },
    refetchInterval: 30_000,
  });

export type JobVerb = 'hold' | 'release' | 'requeue' | 'cancel' | 'suspend' | 'resume';

export function actOnJob(id: string, verb: JobVerb, requestId: string): Promise<void> {
  return call(`/api/v1/jobs/${encodeURIComponent(id)}/${verb}`, {
    method: 'POST',
    body: {},
    idempotencyKey: requestId,
  });
}

export function changeJob(
  id: string,
  change: Readonly<Record<string, unknown>>,
  requestId: string,
): Promise<Job> {
  return call(`/api/v1/jobs/${encodeURIComponent(id)}`, {
    method: 'PATCH',
    body: change,
    idempotencyKey: requestId,
  });
}

/** The name under which a job is asked for: tasks of arrays by array and number. */
export function jobKey(job: Pick<Job, 'id' | 'array_job_id' | 'array_task'>): string {
  return job.array_job_id && job.array_task !== null
    ? `${job.array_job_id}_${job.array_task}`
    : String(job.id);
}

/** What is shown for it, with the tasks that still wait: `12_[4-9]`. */
export function jobTitle(job: Pick<Job, 'id' | 'array_job_id' | 'array_task' | 'array_waiting'>): string {
  return job.array_waiting ? `${job.array_job_id || job.id}_[${job.array_waiting}]` : jobKey(job);
}

/** GPUs of a job or node, by the name that its resources have. */
export function gpusOf(tres: Readonly<Record<string, number>>): number {
  return tres['gres/gpu'] ?? 0;
}

/** `gpu:mi300x` and its number, for those resources that name a type. */
export function gpuTypes(tres: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(tres)
    .filter(([name]) => name.startsWith('gres/gpu:'))
    .map(([name, number]) => [name.slice('gres/gpu:'.length), number] as const);
}
