import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

/** Now is a value that pages are given, so that tests can choose it. */
const Now = createContext<number | undefined>(undefined);

export function Clock({ children, fixed }: { children: ReactNode; fixed?: number }) {
  const [now, setNow] = useState(() => fixed ?? Date.now());
  useEffect(() => {
    if (fixed !== undefined) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [fixed]);
  return <Now value={now}>{children}</Now>;
}

export function useNow(): number {
  return useContext(Now) ?? Date.now();
}

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'long' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

export type Moment = string | number | Date;

export function relativeWords(at: Moment, now: number): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const size = Math.abs(seconds);
  if (size < 45) return seconds < 0 ? 'just now' : 'in a moment';
  if (size < 3600) return relative.format(Math.round(seconds / 60), 'minute');
  if (size < 86_400) return relative.format(Math.round(seconds / 3600), 'hour');
  if (size < 30 * 86_400) return relative.format(Math.round(seconds / 86_400), 'day');
  return day.format(new Date(at));
}

export function RelativeTime({ at }: { at: Moment }) {
  const now = useNow();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)}>
      {relativeWords(at, now)}
    </time>
  );
}

/** "14:20" today, "12 Nov 14:20" otherwise. */
export function clockWords(at: Moment, now: number): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date(now).toDateString();
  return today ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`;
}

export function ClockTime({ at }: { at: Moment }) {
  const now = useNow();
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)}>
      {clockWords(at, now)}
    </time>
  );
}

/** "2 d 4 h", "3 h 20 min", "45 s": the two largest units. */
export function durationWords(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  const days = Math.floor(s / 86_400);
  const hours = Math.floor((s % 86_400) / 3600);
  const minutes = Math.floor((s % 3600) / 60);
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return `${minutes} min`;
  return `${s} s`;
}

/** Time since a moment, going on while it is looked at. */
export function Elapsed({ since, until }: { since: Moment; until?: Moment | null | undefined }) {
  const now = useNow();
  const end = until ? new Date(until).getTime() : now;
  return <>{durationWords((end - new Date(since).getTime()) / 1000)}</>;
}
