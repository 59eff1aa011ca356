import { useQuery } from '@tanstack/react-query';
import { ApiError, call } from '~/api/client';
import { nodesQuery, pingQuery, statisticsQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Card, CardTitle, Facts } from '~/ui/Card';
import { Skeleton, SkeletonRows } from '~/ui/Feedback';
import { groupBy } from '~/ui/groupBy';
import { amount, count, plural } from '~/ui/numbers';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { RelativeTime } from '~/ui/Time';

interface UpdateCheck {
  current_version: string;
  latest_version: string | null;
  update_available: boolean;
  release_url: string | null;
}

/** The parts behind the pages: controllers, the scheduler's work, versions, and whether this service is well. */
export function SystemPage() {
  return (
    <Page title="System">
      <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-2">
        <Controllers />
        <Service />
        <Scheduler />
        <Calls />
      </div>
    </Page>
  );
}

function Controllers() {
  const ping = useQuery(pingQuery());
  return (
    <Card>
      <CardTitle>Controllers</CardTitle>
      <Loaded query={ping} skeleton={<SkeletonRows rows={1} label="Loading controllers" />}>
        {(answer) => (
          <ul className="divide-y divide-line">
            {answer.controllers.map((each) => (
              <li key={each.name} className="flex min-h-11 items-center gap-4 px-4 py-2">
                <span className="w-16 font-medium">{each.name}</span>
                <span className="min-w-0 flex-1 truncate font-mono text-ink-2 text-xs">{each.address}</span>
                {each.leader && <span className="text-ink-2">leads</span>}
                <StatePill look={each.up ? 'running' : 'down'}>{each.up ? 'Up' : 'Not answering'}</StatePill>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

function Service() {
  const ping = useQuery(pingQuery());
  const nodes = useQuery(nodesQuery());
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
  const versions = groupBy(nodes.data ?? [], (node) => node.version || 'never registered');
  return (
    <Card>
      <CardTitle>Service and versions</CardTitle>
      <Facts
        facts={[
          [
            'Ready',
            ready.data === undefined ? (
              '…'
            ) : ready.data ? (
              <StatePill key="r" look="running">
                Yes
              </StatePill>
            ) : (
              'no: its database or the controller does not answer'
            ),
          ],
          ['Cluster', ping.data?.cluster ?? '…'],
          ['Controller', ping.data?.version ?? '…'],
          ['Cloud', update.data?.current_version ?? '…'],
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
          [
            'Agents',
            [...versions]
              .map(([version, those]) => `${plural(those.length, 'node')} with ${version}`)
              .join(', ') || '…',
          ],
        ]}
      />
    </Card>
  );
}

function Scheduler() {
  const query = useQuery(statisticsQuery());
  return (
    <Card>
      <CardTitle>Scheduler</CardTitle>
      <Loaded query={query} skeleton={<Skeleton className="m-4 h-40" />}>
        {(all) => (
          <Facts
            facts={[
              ['Running', plural(all.running, 'job')],
              ['Waiting', plural(all.pending, 'job')],
              [
                'Since it leads',
                <>
                  {count(all.submitted)} submitted, {count(all.started)} started, {count(all.completed)}{' '}
                  completed, {count(all.failed)} failed
                </>,
              ],
              ['Leads since', all.since ? <RelativeTime key="s" at={all.since} /> : '–'],
              [
                'Last quick pass',
                `${amount(all.quick_last_micros / 1000)} ms, at most ${amount(all.quick_max_micros / 1000)} ms`,
              ],
              [
                'Last plan',
                `${amount(all.plan_last_micros / 1000)} ms, at most ${amount(all.plan_max_micros / 1000)} ms`,
              ],
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}

/** Who asks the controller for how much. */
function Calls() {
  const query = useQuery(statisticsQuery());
  return (
    <Card>
      <CardTitle>Who asks the controller</CardTitle>
      <Loaded query={query} skeleton={<SkeletonRows rows={5} label="Loading callers" />}>
        {(all) => (
          <table className="num w-full text-left">
            <thead className="text-ink-3 text-xs">
              <tr>
                <th scope="col" className="px-4 py-2 font-normal">
                  User
                </th>
                <th scope="col" className="px-4 py-2 text-right font-normal">
                  Calls
                </th>
                <th scope="col" className="px-4 py-2 text-right font-normal">
                  On average
                </th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line border-line border-t">
              {all.callers.slice(0, 8).map((caller) => (
                <tr key={caller.uid} className="h-9">
                  <td className="px-4">{caller.name}</td>
                  <td className="px-4 text-right">{count(caller.count ?? 0)}</td>
                  <td className="px-4 text-right">
                    {amount((caller.total_micros ?? 0) / Math.max(1, caller.count ?? 0) / 1000)} ms
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </Card>
  );
}
