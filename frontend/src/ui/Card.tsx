import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes';

export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return (
    <section {...rest} className={classes('relative rounded-lg border border-line bg-surface', className)} />
  );
}

export function CardTitle({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <header className="flex min-h-12 items-center justify-between gap-4 border-line border-b px-4 py-2">
      <h2 className="font-semibold text-sm">{children}</h2>
      {action}
    </header>
  );
}

/** Names and values in two columns; on a phone one below the other. */
export function Facts({ facts }: { facts: (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-8 gap-y-2.5 p-4 sm:grid-cols-[max-content_1fr]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="num min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
