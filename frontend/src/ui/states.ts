import {
  Ban,
  CalendarClock,
  Check,
  CircleDashed,
  CircleOff,
  Clock,
  Loader,
  type LucideIcon,
  Pause,
  Play,
  TriangleAlert,
  X,
} from 'lucide-react';

/** How a state looks wherever it is shown: pills, maps, Gantt, charts. */
export type StateLook =
  | 'running'
  | 'pending'
  | 'completing'
  | 'suspended'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'drained'
  | 'down'
  | 'reserved'
  | 'idle';

export const stateIcons: Record<StateLook, LucideIcon> = {
  running: Play,
  pending: Clock,
  completing: Loader,
  suspended: Pause,
  completed: Check,
  failed: X,
  cancelled: Ban,
  drained: CircleOff,
  down: TriangleAlert,
  reserved: CalendarClock,
  idle: CircleDashed,
};

/** Which states carry a pattern beside their colour. */
export const hatched: ReadonlySet<StateLook> = new Set(['drained', 'down']);

const ofJob: Record<string, StateLook> = {
  PENDING: 'pending',
  CONFIGURING: 'pending',
  RUNNING: 'running',
  SIGNALING: 'running',
  STAGE_OUT: 'completing',
  COMPLETING: 'completing',
  SUSPENDED: 'suspended',
  STOPPED: 'suspended',
  COMPLETED: 'completed',
  CANCELLED: 'cancelled',
  REVOKED: 'cancelled',
  FAILED: 'failed',
  TIMEOUT: 'failed',
  NODE_FAIL: 'failed',
  OUT_OF_MEMORY: 'failed',
  DEADLINE: 'failed',
  BOOT_FAIL: 'failed',
  PREEMPTED: 'suspended',
  REQUEUED: 'pending',
  REQUEUE_HOLD: 'pending',
  SPECIAL_EXIT: 'failed',
};

/** `CANCELLED by 1000` and `RUNNING+…` are looked up by their first word. */
export function lookOfJob(state: string): StateLook {
  return ofJob[state.toUpperCase().split(/[ +,]/)[0] ?? ''] ?? 'idle';
}

const ofSession: Record<string, StateLook> = {
  creating: 'pending',
  pending: 'pending',
  starting: 'pending',
  running: 'running',
  suspended: 'suspended',
  stopping: 'completing',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

export function lookOfSession(state: string): StateLook {
  return ofSession[state] ?? 'idle';
}

/** A node has a base state and flags; the worst is what one must see. */
export function lookOfNode(states: readonly string[]): StateLook {
  const all = new Set(states.map((state) => state.toUpperCase().replace(/[*~#$%@^!+-]+$/, '')));
  const any = (...names: string[]) => names.some((name) => all.has(name));
  if (any('DOWN', 'NOT_RESPONDING', 'FAIL', 'FAILING', 'ERROR', 'UNKNOWN')) return 'down';
  if (any('DRAIN', 'DRAINED', 'DRAINING')) return 'drained';
  if (any('MAINT', 'MAINTENANCE', 'RESERVED')) return 'reserved';
  if (any('ALLOCATED', 'MIXED')) return 'running';
  if (any('COMPLETING')) return 'completing';
  if (any('PLANNED')) return 'pending';
  return 'idle';
}

/** One word for a node: what one must know of it first. */
export function nodeWords(states: readonly string[]): string {
  const all = new Set(states.map((state) => state.toUpperCase().replace(/[*~#$%@^!+-]+$/, '')));
  const busy = all.has('ALLOCATED') || all.has('MIXED') || all.has('COMPLETING');
  if (all.has('NOT_RESPONDING')) return 'Not answering';
  if (all.has('DOWN')) return 'Down';
  if (all.has('DRAIN') || all.has('DRAINED') || all.has('DRAINING')) return busy ? 'Draining' : 'Drained';
  if (all.has('MAINT') || all.has('MAINTENANCE')) return 'Maintenance';
  if (all.has('ALLOCATED')) return 'Full';
  if (all.has('MIXED')) return 'In use';
  if (all.has('RESERVED')) return 'Reserved';
  if (all.has('IDLE')) return 'Free';
  return stateWords(states[0] ?? 'Unknown');
}

/** The colour itself, for canvases: fills are brighter than words. */
export function stateColour(look: StateLook): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${look}-fill`).trim();
}

/** `NODE_FAIL` is shown as "Node fail". */
export function stateWords(state: string): string {
  const words = state.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
