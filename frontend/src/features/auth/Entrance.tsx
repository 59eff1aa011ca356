import type { ReactNode } from 'react';

/** The pages before one is in: a mark, a title, one column. */
export function Entrance({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}) {
  return (
    <main className="flex min-h-dvh items-center justify-center px-4 py-10">
      <div className="flex w-full max-w-sm flex-col gap-5">
        <div className="flex flex-col items-center gap-4 pb-2">
          <img src="/favicon.svg" alt="" className="size-12" />
          <h1 className="font-semibold text-lg tracking-tight">{title}</h1>
          {hint && <p className="text-center text-ink-2">{hint}</p>}
        </div>
        {children}
      </div>
    </main>
  );
}
