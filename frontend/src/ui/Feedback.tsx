import { RefreshCw, TriangleAlert, WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './Button';
import { Card } from './Card';
import { RelativeTime } from './Time';

/** Nothing is there yet: teaches the one action that changes that. */
export function EmptyState({
  icon,
  title,
  body,
  action,
}: {
  icon?: ReactNode;
  title: string;
  body?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-3 px-6 py-12 text-center">
      {icon && <div className="text-ink-3">{icon}</div>}
      <h2 className="font-semibold text-base">{title}</h2>
      {body && <p className="max-w-md text-ink-2">{body}</p>}
      {action}
    </div>
  );
}

export interface Trouble {
  title: string;
  because: string;
  remedy?: string | undefined;
  requestId?: string | undefined;
}

/** What failed, why, and what to do; the request id is for whoever is asked for help. */
export function ErrorNotice({ trouble, onRetry }: { trouble: Trouble; onRetry?: (() => void) | undefined }) {
  return (
    <Card role="alert" className="flex flex-wrap items-start gap-3 p-4">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-failed" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{trouble.title}</p>
        <p className="break-words text-ink-2">{trouble.because}</p>
        {trouble.remedy && <p className="text-ink-2">{trouble.remedy}</p>}
        {trouble.requestId && (
          <p className="mt-1 font-mono text-ink-3 text-xs">request {trouble.requestId}</p>
        )}
      </div>
      {onRetry && (
        <Button size="small" icon={<RefreshCw aria-hidden="true" className="size-3.5" />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </Card>
  );
}

/** Old data stays on screen; this line says how old it is. */
export function StaleLine({ since, why }: { since: number; why: string }) {
  return (
    <p
      role="status"
      className="flex items-center gap-2 rounded-lg border border-pending/40 bg-pending/10 px-3 py-2 text-pending"
    >
      <WifiOff aria-hidden="true" className="size-4 shrink-0" />
      <span>
        {why} Shown is what was known <RelativeTime at={since} />; trying again.
      </span>
    </p>
  );
}

export function Skeleton({ className }: { className: string }) {
  return <div aria-hidden="true" className={`skeleton ${className}`} />;
}

export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="divide-y divide-line">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a skeleton have no identity
        <div key={row} className="flex h-9 items-center gap-6 px-4">
          <Skeleton className="h-3 w-24" />
          <Skeleton className="h-3 w-40" />
          <Skeleton className="ml-auto h-3 w-16" />
        </div>
      ))}
    </div>
  );
}
