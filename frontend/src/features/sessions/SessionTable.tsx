import { Link } from 'react-router';
import { gpuWords, type Session } from '~/api/sessions';
import { Card } from '~/ui/Card';
import { money } from '~/ui/numbers';
import { StatePill } from '~/ui/StatePill';
import { lookOfSession, stateWords } from '~/ui/states';
import { Elapsed, RelativeTime } from '~/ui/Time';

const titles = ['Name', 'State', 'Hardware', 'Node', 'Created', 'Ran for', 'Cost'];

export function SessionTable({ sessions }: { sessions: readonly Session[] }) {
  return (
    <Card className="overflow-x-auto">
      <table className="w-full text-left">
        <thead className="text-ink-3 text-xs">
          <tr>
            {titles.map((title) => (
              <th
                key={title}
                scope="col"
                className={`px-4 py-2.5 font-normal ${title === 'Cost' ? 'text-right' : ''}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-line border-t">
          {sessions.map((session) => (
            <tr key={session.id} className="h-11 hover:bg-sunken">
              <td className="max-w-56 truncate px-4">
                <Link to={`/sessions/${session.id}`} className="font-medium hover:underline">
                  {session.name}
                </Link>
              </td>
              <td className="px-4">
                <StatePill look={lookOfSession(session.state)}>{stateWords(session.state)}</StatePill>
              </td>
              <td className="whitespace-nowrap px-4">{gpuWords(session)}</td>
              <td className="px-4 font-mono text-xs">{session.node_name ?? '–'}</td>
              <td className="whitespace-nowrap px-4 text-ink-2">
                <RelativeTime at={session.created_at} />
              </td>
              <td className="whitespace-nowrap px-4">
                {session.started_at ? <Elapsed since={session.started_at} until={session.ended_at} /> : '–'}
              </td>
              <td className="whitespace-nowrap px-4 text-right">
                {session.cost ? money(session.cost.amount, session.cost.currency) : '–'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
