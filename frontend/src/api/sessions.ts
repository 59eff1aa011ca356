import { queryOptions } from '@tanstack/react-query';
import { ApiError, call } from './client';

type Decimal = string | number;

/** A GPU session as the cloud tells of it. */
export interface Session {
  id: string;
  name: string;
  state: 'creating' | 'pending' | 'running' | 'suspended' | 'stopping' | 'completed' | 'failed' | 'cancelled';
  reason: string | null;
  gpu_type: string;
  gpu_count: number;
  cpus: number;
  memory_mb: number | null;
  container_image: string;
  template: string | null;
  project: string | null;
  partition: string | null;
  ssh_enabled: boolean;
  ssh_host: string | null;
  ssh_port: number | null;
  spur_job_id: number | null;
  attempt: number;
  time_limit_min: number;
  idle_minutes: number | null;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  ends_at: string | null;
  expected_start: string | null;
  queue_position: number | null;
  node_name: string | null;
  error_message: string | null;
  /** So far; null where nothing is charged. */
  cost: Cost | null;
}

export interface Cost {
  amount: Decimal;
  currency: string;
}

export interface SessionEvent {
  id: number;
  at: string;
  kind: string;
  text: string;
}

export interface SessionUsage {
  cpu_limit: number;
  memory_limit_mb: number | null;
  lines: readonly { at: string; cpus: number | null; memory_bytes: number }[];
  gpu_note: string;
}

export interface GpuNode {
  name: string;
  total_gpus: number;
  available_gpus: number;
  state: string;
}

export interface GpuPool {
  gpu_type: string;
  total: number;
  available: number;
  allocated: number;
  memory_mb: number;
  nodes: readonly GpuNode[];
}

export interface Template {
  name: string;
  title: string;
  description: string;
  image: string;
  available: boolean;
  because: string | null;
}

export interface LaunchWish {
  name: string;
  gpu_type: string;
  gpu_count: number;
  container_image?: string;
  template?: string;
  cpus?: number;
  memory_mb?: number;
  ssh_enabled: boolean;
  time_limit_min: number;
  partition?: string;
  idle_minutes?: number;
  env?: Readonly<Record<string, string>>;
}

export interface Price {
  id: string;
  /** `cpu`, `gpu` for every type without a price of its own, or `gpu:TYPE`. */
  resource: string;
  per_hour: Decimal;
  currency: string;
  from: string;
  until: string | null;
}

export interface Budget {
  id: string;
  person_id: string | null;
  project_id: string | null;
  per_month: Decimal;
  currency: string;
  alerts: readonly number[];
  hard_stop: boolean;
  spent: Decimal;
  percent: number;
}

export interface UsageRow {
  id: string;
  session_id: string;
  session_name: string | null;
  user: string;
  project: string | null;
  gpu_type: string;
  gpu_count: number;
  cpus: number;
  start_time: string;
  end_time: string | null;
  gpu_seconds: number;
  seconds: number;
  cost: Decimal;
  currency: string;
  free_because: string | null;
}

export interface UsageSummary {
  total_gpu_seconds: number;
  total_gpu_hours: number;
  total_cpu_seconds: number;
  total_cost: Decimal;
  currency: string;
  by_gpu_type: readonly {
    gpu_type: string;
    gpu_seconds: number;
    gpu_hours: number;
    session_count: number;
    cost: Decimal;
  }[];
  by_day: readonly { day: string; gpu_hours: number; cost: Decimal }[];
  by_project: readonly { project: string | null; gpu_hours: number; cost: Decimal }[];
}

export const active: ReadonlySet<Session['state']> = new Set([
  'creating',
  'pending',
  'running',
  'suspended',
  'stopping',
]);

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call<readonly Session[]>('/api/sessions', { query: { limit: 200 }, signal }),
    refetchInterval: 10_000,
  });

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['sessions', id],
    queryFn: ({ signal }) => call<Session>(`/api/sessions/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: 5_000,
  });

export const gpusQuery = () =>
  queryOptions({
    queryKey: ['gpus'],
    queryFn: ({ signal }) => call<readonly GpuPool[]>('/api/gpus', { signal }),
    refetchInterval: 10_000,
  });

export const templatesQuery = () =>
  queryOptions({
    queryKey: ['templates'],
    queryFn: ({ signal }) => call<readonly Template[]>('/api/templates', { signal }),
    staleTime: 60_000,
  });

/** What a part of the cloud answers that may not be there: nothing is charged, then. */
async function unlessMissing<T>(asked: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

export const pricesQuery = () =>
  queryOptions({
    queryKey: ['prices'],
    queryFn: ({ signal }) => unlessMissing(call<readonly Price[]>('/api/billing/prices', { signal })),
    staleTime: 60_000,
  });

export const budgetsQuery = () =>
  queryOptions({
    queryKey: ['budgets'],
    queryFn: ({ signal }) => unlessMissing(call<readonly Budget[]>('/api/billing/budgets', { signal })),
    staleTime: 30_000,
  });

export const sessionEventsQuery = (id: string) =>
  queryOptions({
    queryKey: ['sessions', id, 'events'],
    queryFn: ({ signal }) =>
      call<readonly SessionEvent[]>(`/api/sessions/${encodeURIComponent(id)}/events`, {
        query: { limit: 1000 },
        signal,
      }),
    refetchInterval: 15_000,
  });

export const sessionUsageQuery = (id: string) =>
  queryOptions({
    queryKey: ['sessions', id, 'usage'],
    queryFn: ({ signal }) => call<SessionUsage>(`/api/sessions/${encodeURIComponent(id)}/usage`, { signal }),
    refetchInterval: 15_000,
  });

export const shellsQuery = (id: string) =>
  queryOptions({
    queryKey: ['sessions', id, 'shells'],
    queryFn: ({ signal }) =>
      call<readonly { name: string; started_at: string }[]>(
        `/api/sessions/${encodeURIComponent(id)}/terminals`,
        { signal },
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const usageQuery = (since: string, until: string) =>
  queryOptions({
    queryKey: ['usage', since, until],
    queryFn: ({ signal }) =>
      call<readonly UsageRow[]>('/api/billing/usage', { query: { since, until }, signal }),
  });

export const summaryQuery = (since: string, until: string) =>
  queryOptions({
    queryKey: ['usage', 'summary', since, until],
    queryFn: ({ signal }) =>
      call<UsageSummary>('/api/billing/summary', {
        query: { since, until, zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
        signal,
      }),
  });

export function gpuWords(session: Pick<Session, 'gpu_type' | 'gpu_count'>): string {
  return session.gpu_count === 0 ? 'CPU only' : `${session.gpu_count} × ${session.gpu_type.toUpperCase()}`;
}

/** The price of a GPU of a type now: its own, or that of every GPU. */
export function pricePerHour(prices: readonly Price[], resource: string, now: number): Price | undefined {
  const holds = prices.filter(
    (price) => Date.parse(price.from) <= now && (price.until === null || Date.parse(price.until) > now),
  );
  return (
    holds.find((price) => price.resource === resource) ??
    (resource.startsWith('gpu:') ? holds.find((price) => price.resource === 'gpu') : undefined)
  );
}
