import { useQuery } from '@tanstack/react-query';
import { Loaded } from '~/api/Loaded';
import { sessionEventsQuery } from '~/api/sessions';
import { Card } from '~/ui/Card';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { RelativeTime } from '~/ui/Time';

/** What happened to it, the latest first. */
export function Events({ id }: { id: string }) {
  const query = useQuery(sessionEventsQuery(id));
  return (
    <Loaded
      query={query}
      skeleton={
        <Card>
          <SkeletonRows rows={4} label="Loading events" />
        </Card>
      }
      empty={{
        when: (events) => events.length === 0,
        show: (
          <Card>
            <EmptyState title="Nothing happened yet" />
          </Card>
        ),
      }}
    >
      {(events) => (
        <Card>
          <ol className="num divide-y divide-line">
            {[...events].reverse().map((event) => (
              <li key={event.id} className="flex flex-wrap items-baseline gap-x-6 px-4 py-2.5">
                <span className="w-32 shrink-0 text-ink-3">
                  <RelativeTime at={event.at} />
                </span>
                <span className="min-w-0 flex-1">{event.text}</span>
                <span className="font-mono text-ink-3 text-xs">{event.kind}</span>
              </li>
            ))}
          </ol>
        </Card>
      )}
    </Loaded>
  );
}
