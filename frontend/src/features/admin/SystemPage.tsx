import { useQuery } from '@tanstack/react-query';
import { ApiError, call } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { Card, CardTitle, Facts } from '~/ui/Card';
import { Skeleton } from '~/ui/Feedback';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';

interface UpdateCheck {
  current_version: string;
  latest_version: string | null;
  update_available: boolean;
  release_url: string | null;
}

interface Ping {
  controllers?: readonly { name: string; role: string; state: string; lag?: number | null }[];
  cluster?: string;
  version?: string;
  [more: string]: unknown;
}

/** The parts behind the pages: controllers, readiness, versions. */
export function SystemPage() {
  const ping = useQuery({
    queryKey: ['ping'],
    queryFn: ({ signal }) => call<Ping>('/api/v1/ping', { signal }),
    refetchInterval: 10_000,
  });
  const update = useQuery({
    queryKey: ['update-check'],
    queryFn: ({ signal }) => call<UpdateCheck>('/api/admin/update-check', { signal }),
    retry: false,
  });
  const ready = useQuery({
    queryKey: ['ready'],
    queryFn: async () => {
      try {
        return (await call<unknown>('/readyz')) !== undefined;
      } catch (error) {
        if (error instanceof ApiError && error.status === 503) return false;
        throw error;
      }
    },
    refetchInterval: 10_000,
  });
  return (
    <Page title="System">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card>
          <CardTitle>Controllers</CardTitle>
          <Loaded query={ping} skeleton={<Skeleton className="m-4 h-24" />}>
            {(answer) => (
              <ul className="divide-y divide-line">
                {(answer.controllers ?? []).map((each) => (
                  <li key={each.name} className="flex items-center justify-between gap-4 px-4 py-3">
                    <span className="font-mono text-xs">{each.name}</span>
                    <span className="text-ink-2">{each.role}</span>
                    <StatePill look={/^up$/i.test(each.state) ? 'running' : 'down'}>{each.state}</StatePill>
                  </li>
                ))}
                {(answer.controllers ?? []).length === 0 && (
                  <li className="px-4 py-3">A controller answers.</li>
                )}
              </ul>
            )}
          </Loaded>
        </Card>
        <Card>
          <CardTitle>This service</CardTitle>
          <Facts
            facts={[
              [
                'Ready',
                ready.data === undefined
                  ? '…'
                  : ready.data
                    ? 'yes'
                    : 'no: its database or the controller does not answer',
              ],
              ['Version', update.data?.current_version ?? '…'],
              [
                'Newer release',
                update.error ? (
                  'not known'
                ) : update.data?.update_available && update.data.release_url ? (
                  <a key="release" href={update.data.release_url} className="text-accent-ink underline">
                    {update.data.latest_version}
                  </a>
                ) : (
                  'none'
                ),
              ],
            ]}
          />
        </Card>
      </div>
    </Page>
  );
}
