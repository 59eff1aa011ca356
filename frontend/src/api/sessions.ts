import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './client';

/** A GPU session as the cloud tells of it. */
export interface Session {
  id: string;
  name: string;
  state: 'creating' | 'pending' | 'running' | 'stopping' | 'completed' | 'failed' | 'cancelled';
  gpu_type: string;
  gpu_count: number;
  cpus?: number | null;
  memory_mb?: number | null;
  container_image: string;
  template?: string | null;
  ssh_enabled: boolean;
  ssh_host: string | null;
  ssh_port: number | null;
  spur_job_id: number | null;
  time_limit_min: number;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
  expires_at?: string | null;
  node_name: string | null;
  error_message: string | null;
  reason?: string | null;
  queue_position?: number | null;
  expected_start?: string | null;
  cost?: string | null;
  currency?: string | null;
}

export interface SessionEvent {
  at: string;
  text: string;
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
  next_free_at?: string | null;
  price_per_hour?: string | null;
  currency?: string | null;
}

export interface Template {
  name: string;
  title: string;
  description: string;
  image: string;
  available: boolean;
  because?: string | null;
}

export interface LaunchWish {
  name: string;
  gpu_type: string;
  gpu_count: number;
  container_image: string;
  template?: string;
  cpus?: number;
  memory_mb?: number;
  ssh_enabled: boolean;
  time_limit_min: number;
  partition?: string;
  env?: Readonly<Record<string, string>>;
}

/** What a launch would be by the present plan, without launching. */
export interface Estimate {
  starts_now: boolean;
  expected_start: string | null;
  price_per_hour: string | null;
  total: string | null;
  currency: string | null;
  refusal: string | null;
}

export interface UsageRow {
  id: string;
  session_id: string;
  session_name?: string;
  gpu_type: string;
  gpu_count: number;
  start_time: string;
  end_time: string | null;
  gpu_seconds: number;
  cost?: string | null;
  currency?: string | null;
}

export interface UsageSummary {
  total_gpu_seconds: number;
  total_gpu_hours: number;
  total_cost?: string | null;
  currency?: string | null;
  by_gpu_type: readonly {
    gpu_type: string;
    gpu_seconds: number;
    gpu_hours: number;
    session_count: number;
    cost?: string | null;
  }[];
  by_day?: readonly { day: string; gpu_hours: number; cost?: string | null }[];
}

export const active: ReadonlySet<Session['state']> = new Set(['creating', 'pending', 'running', 'stopping']);

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

export const estimateQuery = (wish: LaunchWish) =>
  queryOptions({
    queryKey: ['estimate', wish],
    queryFn: ({ signal }) => call<Estimate>('/api/sessions/estimate', { method: 'POST', body: wish, signal }),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
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
    queryFn: ({ signal }) => call<UsageSummary>('/api/billing/summary', { query: { since, until }, signal }),
  });

export function gpuWords(session: Pick<Session, 'gpu_type' | 'gpu_count'>): string {
  return session.gpu_count === 0 ? 'CPU only' : `${session.gpu_count} × ${session.gpu_type.toUpperCase()}`;
}
