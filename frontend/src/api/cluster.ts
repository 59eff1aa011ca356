import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from './client';
import type { components } from './generated/v1';

type Schemas = components['schemas'];

/** The document says of every number that it may be null, and of every field that it may be left out; here they are named. */
type Whole<T, MayBeNull extends keyof T = never> = {
  readonly [K in keyof T]-?: K extends MayBeNull
    ? Exclude<T[K], undefined>
    : number extends Exclude<T[K], undefined | null>
      ? Exclude<T[K], undefined | null>
      : Exclude<T[K], undefined>;
};

/** What `/api/v1` tells of the cluster, in the name of whoever is signed in. */
export type Job = Whole<
  Schemas['Job'],
  'array_id' | 'array_task' | 'time_limit' | 'memory_per_node_mb' | 'memory_per_cpu_mb'
>;
export type Step = Whole<Schemas['Step'], 'time_limit'>;
export type Node = Whole<Schemas['Node'], 'memory_free_mb'>;
export type Partition = Whole<Schemas['Partition'], 'max_time' | 'default_time' | 'max_nodes'>;
export type Reservation = Whole<Schemas['Reservation']>;
export type PlannedJob = Whole<Schemas['PlannedJob'], 'array_id' | 'array_task' | 'place'>;
export type Suggestion = Whole<Schemas['Suggestion']>;
export type JobAhead = Whole<Schemas['JobAhead']>;
export type JobInTheWay = Whole<Schemas['JobInTheWay']>;
export type Statistics = Whole<Schemas['Statistics']>;
/** A run of a job, as accounting keeps it. */
export type PastJob = Omit<
  Whole<Schemas['Record'], 'array_id' | 'array_task' | 'time_limit' | 'memory_mb' | 'memory_per_cpu_mb'>,
  'steps'
> & { readonly steps: readonly PastStep[] };
export type PastStep = Whole<Schemas['PastStep']>;

/** Why a job waits, in words, and what would start it sooner. */
export type Explanation = Omit<
  Whole<Schemas['Explanation']>,
  'plan' | 'ahead' | 'in_the_way' | 'suggestions'
> & {
  readonly plan: readonly PlannedJob[];
  readonly ahead: readonly JobAhead[];
  readonly in_the_way: readonly JobInTheWay[];
  readonly suggestions: readonly Suggestion[];
};

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
  'id,array_id,array_task,array_waiting,name,user,account,qos,partition,state,states,reason,held,priority,submitted_at,started_at,ends_at,run_seconds,time_limit,nodes,planned_nodes,node_count,cpus,tres,tres_allocated';

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
            'id,array_id,array_task,array_waiting,name,user,partition,state,states,reason,started_at,ends_at,time_limit,nodes,planned_nodes,node_count,cpus,tres_allocated,tres',
          limit: 10_000,
        },
        signal,
      });
      return page.jobs;
    },
    refetchInterval: 15_000,
  });

/** What runs on one node, with what each has of it. */
export const jobsOnQuery = (node: string) =>
  queryOptions({
    queryKey: ['jobs', 'on', node],
    queryFn: async ({ signal }) => {
      const page = await call<Paged<'jobs', Job>>('/api/v1/jobs', {
        query: {
          state: 'RUNNING,SUSPENDED,COMPLETING',
          fields:
            'id,array_id,array_task,name,user,state,states,started_at,ends_at,nodes,cpus,tres_allocated,allocations',
          limit: 10_000,
        },
        signal,
      });
      return page.jobs.filter((job) => job.allocations.some((each) => each.node === node));
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

/** What accounting keeps of a job: all its runs, the latest last, also when the cluster has forgotten it. */
export const pastQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'past', id],
    queryFn: async ({ signal }) =>
      (
        await call<Paged<'records', PastJob>>(`/api/v1/history/${encodeURIComponent(id)}`, {
          query: { limit: 10_000 },
          signal,
        })
      ).records,
    refetchInterval: 30_000,
  });

export type ArrayTask = Pick<
  Job,
  'id' | 'array_id' | 'array_task' | 'array_waiting' | 'state' | 'states' | 'reason' | 'nodes'
>;

/** The tasks of an array that the cluster knows: those that waited together are one row. */
export const arrayQuery = (array: number) =>
  queryOptions({
    queryKey: ['jobs', 'array', array],
    queryFn: async ({ signal }) =>
      (
        await call<Paged<'jobs', ArrayTask>>('/api/v1/jobs', {
          query: {
            array_id: array,
            state: 'ALL',
            fields: 'id,array_id,array_task,array_waiting,state,states,reason,nodes',
            limit: 10_000,
          },
          signal,
        })
      ).jobs,
    refetchInterval: 15_000,
  });

export interface Ping {
  cluster: string;
  version: string;
  you: { user: string; uid: number; role: string };
  controllers: readonly { name: string; address: string; up: boolean; leader: boolean }[];
}

export const pingQuery = () =>
  queryOptions({
    queryKey: ['ping'],
    queryFn: ({ signal }) => call<Ping>('/api/v1/ping', { signal }),
    refetchInterval: 10_000,
  });

export const statisticsQuery = () =>
  queryOptions({
    queryKey: ['statistics'],
    queryFn: ({ signal }) => call<Statistics>('/api/v1/statistics', { signal }),
    refetchInterval: 10_000,
  });

export const whyQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', 'why', id],
    queryFn: ({ signal }) =>
      call<Explanation>(`/api/v1/jobs/${encodeURIComponent(id)}/explanation`, { signal }),
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
    queryFn: async ({ signal }) =>
      (await call<Paged<'reservations', Reservation>>('/api/v1/reservations', { signal })).reservations,
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

/** As an explanation suggests it: `NumNodes=1`. */
export function followSuggestion(id: string, update: readonly string[], requestId: string): Promise<Job> {
  return changeJob(id, { update }, requestId);
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
export function jobKey(job: Pick<Job, 'id' | 'array_id' | 'array_task'>): string {
  return job.array_id !== null && job.array_task !== null
    ? `${job.array_id}_${job.array_task}`
    : String(job.id);
}

/** What is shown for it, with the tasks that still wait: `12_[4-9]`. */
export function jobTitle(job: Pick<Job, 'id' | 'array_id' | 'array_task' | 'array_waiting'>): string {
  return job.array_waiting ? `${job.array_id ?? job.id}_[${job.array_waiting}]` : jobKey(job);
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
