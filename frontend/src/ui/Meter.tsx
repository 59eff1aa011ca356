import { classes } from './classes';

interface Part {
  name: string;
  value: number;
  colour: string;
  pattern?: boolean;
}

/** A strip of parts of a whole. */
export function Meter({ label, parts, whole }: { label: string; parts: readonly Part[]; whole: number }) {
  const words = parts.map((part) => `${part.value} ${part.name}`).join(', ');
  return (
    <div
      role="img"
      aria-label={`${label}: ${words} of ${whole}`}
      title={words}
      className="flex h-2 w-full gap-px overflow-hidden rounded-full bg-line"
    >
      {parts
        .filter((part) => part.value > 0)
        .map((part) => (
          <div
            key={part.name}
            className={classes(part.colour, part.pattern && 'hatched')}
            style={{ width: `${(100 * part.value) / Math.max(1, whole)}%` }}
          />
        ))}
    </div>
  );
}

/** A ring that empties. */
export function Ring({ left, label, size = 44 }: { left: number; label: string; size?: number }) {
  const radius = size / 2 - 3;
  const around = 2 * Math.PI * radius;
  const shown = Math.min(1, Math.max(0, left));
  return (
    <svg width={size} height={size} role="img" aria-label={label} className="-rotate-90">
      <circle cx={size / 2} cy={size / 2} r={radius} fill="none" className="stroke-line" strokeWidth="4" />
      <circle
        cx={size / 2}
        cy={size / 2}
        r={radius}
        fill="none"
        className={shown < 0.15 ? 'stroke-failed' : 'stroke-accent'}
        strokeWidth="4"
        strokeLinecap="round"
        strokeDasharray={`${around * shown} ${around}`}
      />
    </svg>
  );
}
