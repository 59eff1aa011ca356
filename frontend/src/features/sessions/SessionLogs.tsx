import { useQuery } from '@tanstack/react-query';
import { call } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { Card, CardTitle } from '~/ui/Card';
import { EmptyState, Skeleton } from '~/ui/Feedback';

/** What the session itself printed: its start, and why it ended. */
export function SessionLogs({ id, live }: { id: string; live: boolean }) {
  const query = useQuery({
    queryKey: ['sessions', id, 'logs'],
    queryFn: ({ signal }) => call<string>(`/api/sessions/${id}/logs`, { signal }),
    refetchInterval: live ? 3000 : false,
  });
  return (
    <Card>
      <CardTitle>Logs</CardTitle>
      <Loaded
        query={query}
        skeleton={<Skeleton className="m-4 h-40" />}
        empty={{ when: (text) => text === '', show: <EmptyState title="Nothing was printed" /> }}
      >
        {(text) => (
          <pre
            tabIndex={0}
            className="max-h-[50vh] overflow-auto whitespace-pre-wrap break-words p-4 font-mono text-xs"
          >
            {text}
          </pre>
        )}
      </Loaded>
    </Card>
  );
}
