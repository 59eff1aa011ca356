import { useQuery } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { reservationsQuery } from '~/api/cluster';
import { Loaded } from '~/api/Loaded';
import { Card } from '~/ui/Card';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { ClockTime, useNow } from '~/ui/Time';

export function ReservationsPage() {
  const now = useNow();
  const query = useQuery(reservationsQuery());
  return (
    <Page title="Reservations" hint="Nodes that are kept for somebody, or for maintenance.">
      <Loaded
        query={query}
        skeleton={
          <Card>
            <SkeletonRows rows={4} label="Loading reservations" />
          </Card>
        }
        empty={{
          when: (all) => all.length === 0,
          show: (
            <Card>
              <EmptyState
                icon={<CalendarClock aria-hidden="true" className="size-8" />}
                title="Nothing is reserved"
                body="Administrators make reservations with scontrol create reservation."
              />
            </Card>
          ),
        }}
      >
        {(all) => (
          <Card className="overflow-x-auto">
            <table className="w-full text-left">
              <thead className="text-ink-3 text-xs">
                <tr>
                  {['Name', 'State', 'From', 'Until', 'Nodes', 'For', 'Flags'].map((title) => (
                    <th key={title} scope="col" className="px-4 py-2.5 font-normal">
                      {title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody className="divide-y divide-line border-line border-t">
                {all.map((each) => {
                  const stands = each.starts_at !== null && Date.parse(each.starts_at) <= now;
                  return (
                    <tr key={each.name} className="h-11">
                      <td className="px-4 font-medium">{each.name}</td>
                      <td className="px-4">
                        <StatePill look={stands ? 'reserved' : 'pending'}>
                          {stands ? 'In force' : 'To come'}
                        </StatePill>
                      </td>
                      <td className="px-4">{each.starts_at && <ClockTime at={each.starts_at} />}</td>
                      <td className="px-4">{each.ends_at && <ClockTime at={each.ends_at} />}</td>
                      <td className="px-4">
                        {each.node_count} <span className="font-mono text-ink-3 text-xs">{each.nodes}</span>
                      </td>
                      <td className="px-4">{[...each.users, ...each.accounts].join(', ')}</td>
                      <td className="px-4 text-ink-2 text-xs">{each.flags.join(', ')}</td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </Card>
        )}
      </Loaded>
    </Page>
  );
}
