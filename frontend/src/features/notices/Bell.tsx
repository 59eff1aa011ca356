import { useQuery } from '@tanstack/react-query';
import { Bell as BellIcon } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';
import { active, type Session, sessionsQuery } from '~/api/sessions';
import { IconButton } from '~/ui/Button';
import { Menu } from '~/ui/Overlay';
import { durationWords, useNow } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';

const warnedBefore = 15 * 60_000;

/** What needs me: sessions that end soon. What changed while I looked elsewhere is said once. */
export function Bell() {
  const navigate = useNavigate();
  const now = useNow();
  const { data } = useQuery(sessionsQuery());
  useChanges(data);
  const soon = (data ?? []).filter(
    (session) =>
      session.state === 'running' && session.ends_at && Date.parse(session.ends_at) - now < warnedBefore,
  );
  return (
    <Menu
      trigger={
        <IconButton name={soon.length > 0 ? `${soon.length} notices` : 'No notices'} className="relative">
          <BellIcon aria-hidden="true" className="size-4" />
          {soon.length > 0 && (
            <span aria-hidden="true" className="absolute top-1.5 right-1.5 size-2 rounded-full bg-failed" />
          )}
        </IconButton>
      }
      entries={
        soon.length === 0
          ? [{ text: 'Nothing needs you.', onSelect: () => {} }]
          : soon.map((session) => ({
              text: `${session.name} ends in ${durationWords((Date.parse(session.ends_at ?? '') - now) / 1000)}`,
              onSelect: () => navigate(`/sessions/${session.id}`),
            }))
      }
    />
  );
}

function useChanges(sessions: readonly Session[] | undefined) {
  const toasts = useToasts();
  const known = useRef<ReadonlyMap<string, Session['state']>>(undefined);
  useEffect(() => {
    if (!sessions) return;
    for (const session of sessions) {
      const before = known.current?.get(session.id);
      if (!before || before === session.state) continue;
      if (session.state === 'running') toasts.done(`${session.name} is running.`);
      else if (session.state === 'failed')
        toasts.failed(`${session.name} has failed. ${session.error_message ?? ''}`);
      else if (!active.has(session.state)) toasts.done(`${session.name} has ended.`);
    }
    known.current = new Map(sessions.map((session) => [session.id, session.state]));
  }, [sessions, toasts]);
}
