import type { ReactNode } from 'react';
import { classes } from './classes';

/** One page: its name, its main action, its content. Tables, maps and terminals take the whole width. */
export function Page({
  title,
  hint,
  action,
  wide = false,
  children,
}: {
  title: ReactNode;
  hint?: ReactNode;
  action?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      className={classes('mx-auto flex w-full flex-col gap-6 px-4 py-6 md:px-8', !wide && 'max-w-[1280px]')}
    >
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="truncate font-semibold text-lg tracking-tight">{title}</h1>
          {hint && <p className="text-ink-2">{hint}</p>}
        </div>
        {action && <div className="flex flex-wrap items-center gap-2">{action}</div>}
      </header>
      {children}
    </div>
  );
}
