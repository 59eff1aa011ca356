import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { shellsQuery } from '~/api/sessions';
import { IconButton } from '~/ui/Button';
import { classes } from '~/ui/classes';
import { Skeleton } from '~/ui/Feedback';

const Terminal = lazy(() => import('~/features/terminal/Terminal').then((m) => ({ default: m.Terminal })));

const first = 'main';

/** Several shells beside each other, each one going on while another is shown. Those that run already are here again. */
export function Shells({ session }: { session: string }) {
  const running = useQuery(shellsQuery(session));
  if (running.isPending) return <Skeleton className="h-96 w-full" />;
  const names = (running.data ?? []).map((shell) => shell.name);
  return <Tabs session={session} known={names.length > 0 ? names : [first]} />;
}

function Tabs({ session, known }: { session: string; known: readonly string[] }) {
  const [shells, setShells] = useState(known);
  const [shown, setShown] = useState(known[0] ?? first);

  function open() {
    let number = 2;
    while (shells.includes(`shell-${number}`)) number++;
    setShells([...shells, `shell-${number}`]);
    setShown(`shell-${number}`);
  }

  function close(shell: string) {
    const left = shells.filter((each) => each !== shell);
    setShells(left);
    if (shown === shell) setShown(left[0] ?? first);
  }

  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-1">
        <div className="flex items-center gap-1 overflow-x-auto" role="tablist" aria-label="Shells">
          {shells.map((shell) => (
            <button
              key={shell}
              type="button"
              role="tab"
              aria-selected={shell === shown}
              className={classes(
                'h-8 whitespace-nowrap rounded-lg px-3',
                shell === shown
                  ? 'bg-accent/10 font-medium text-accent-ink'
                  : 'text-ink-2 hover:bg-sunken hover:text-ink',
              )}
              onClick={() => setShown(shell)}
            >
              {shell === first ? 'Shell' : shell.replace('shell-', 'Shell ')}
            </button>
          ))}
        </div>
        {shells.length > 1 && (
          <IconButton name="Close this view; the shell goes on" onClick={() => close(shown)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        )}
        <IconButton name="Another shell" onClick={open}>
          <Plus aria-hidden="true" className="size-4" />
        </IconButton>
      </div>
      {shells.map((shell) => (
        <div key={shell} hidden={shell !== shown} role="tabpanel" aria-label={shell}>
          <Suspense fallback={<Skeleton className="h-96 w-full" />}>
            <Terminal session={session} shell={shell} />
          </Suspense>
        </div>
      ))}
    </div>
  );
}
