import { classes } from './classes';
import { hatched, type StateLook, stateIcons } from './states';

const colours: Record<StateLook, string> = {
  running: 'text-running',
  pending: 'text-pending',
  completing: 'text-completing',
  suspended: 'text-suspended',
  completed: 'text-completed',
  failed: 'text-failed',
  cancelled: 'text-cancelled',
  drained: 'text-drained',
  down: 'text-down',
  reserved: 'text-reserved',
  idle: 'text-ink-2',
};

export function StatePill({ look, children }: { look: StateLook; children: string }) {
  const Icon = stateIcons[look];
  return (
    <span
      className={classes(
        'inline-flex h-6 items-center gap-1.5 whitespace-nowrap rounded-full border px-2 font-medium text-xs',
        colours[look],
        look === 'reserved' ? 'border-current' : 'border-transparent bg-current/10',
      )}
    >
      {hatched.has(look) ? (
        <span aria-hidden="true" className="hatched size-3 rounded-sm border border-current" />
      ) : (
        <Icon aria-hidden="true" className="size-3" strokeWidth={2.5} />
      )}
      {children}
    </span>
  );
}
