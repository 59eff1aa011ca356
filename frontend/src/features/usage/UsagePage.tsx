import { useQuery } from '@tanstack/react-query';
import { Download, ReceiptText } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { Loaded } from '~/api/Loaded';
import { budgetsQuery, summaryQuery, type UsageRow, type UsageSummary, usageQuery } from '~/api/sessions';
import { Button } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { EmptyState, Skeleton } from '~/ui/Feedback';
import { Meter } from '~/ui/Meter';
import { amount, money, plural } from '~/ui/numbers';
import { Page } from '~/ui/Page';
import { ClockTime, useNow } from '~/ui/Time';

/** What was used in a month and what it cost: by day, by type, by session. */
export function UsagePage() {
  const now = useNow();
  const [back, setBack] = useState(0);
  const first = new Date(now);
  const month = new Date(first.getFullYear(), first.getMonth() - back, 1);
  const since = month.toISOString();
  const until = new Date(month.getFullYear(), month.getMonth() + 1, 1).toISOString();
  const summary = useQuery(summaryQuery(since, until));
  const rows = useQuery(usageQuery(since, until));
  return (
    <Page
      title="Usage"
      action={
        <>
          <select
            aria-label="Month"
            value={back}
            onChange={(event) => setBack(Number(event.target.value))}
            className="h-9 rounded-lg border border-line bg-surface px-3"
          >
            {Array.from({ length: 12 }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the value
              <option key={index} value={index}>
                {new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' }).format(
                  new Date(first.getFullYear(), first.getMonth() - index, 1),
                )}
              </option>
            ))}
          </select>
          <Button asChild>
            <a
              href={`/api/billing/usage?format=csv&since=${since}&until=${until}`}
              download={`usage-${since.slice(0, 7)}.csv`}
            >
              <Download aria-hidden="true" className="size-4" />
              CSV
            </a>
          </Button>
        </>
      }
    >
      <Loaded query={summary} skeleton={<Skeleton className="h-32 w-full" />}>
        {(known) => <Summary summary={known} current={back === 0} />}
      </Loaded>
      <Loaded
        query={rows}
        skeleton={<Skeleton className="h-64 w-full" />}
        empty={{
          when: (all) => all.length === 0,
          show: (
            <Card>
              <EmptyState
                icon={<ReceiptText aria-hidden="true" className="size-8" />}
                title="Nothing was used in this month"
                body="Each session appears here from its first second, with its cost so far."
              />
            </Card>
          ),
        }}
      >
        {(all) => <Rows rows={all} />}
      </Loaded>
    </Page>
  );
}

function Summary({ summary, current }: { summary: UsageSummary; current: boolean }) {
  const { currency } = summary;
  const priced = Number(summary.total_cost) > 0;
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-[320px_minmax(0,1fr)]">
      <Card className="flex flex-col gap-3 p-4">
        <div>
          <p className="num font-semibold text-xl">
            {priced ? money(summary.total_cost, currency) : `${amount(summary.total_gpu_hours)} GPU hours`}
          </p>
          {priced && <p className="num text-ink-2">{amount(summary.total_gpu_hours)} GPU hours</p>}
          {current && priced && <Forecast summary={summary} />}
        </div>
        <Budgets />
        <ul className="flex flex-col gap-1.5 border-line border-t pt-3">
          {summary.by_gpu_type.map((type) => (
            <li key={type.gpu_type} className="num flex justify-between gap-4">
              <span>{type.gpu_type === 'none' ? 'CPU only' : type.gpu_type.toUpperCase()}</span>
              <span className="text-ink-2">
                {priced ? money(type.cost, currency) : `${amount(type.gpu_hours)} h`},{' '}
                {plural(type.session_count, 'session')}
              </span>
            </li>
          ))}
        </ul>
        {summary.by_project.some((each) => each.project !== null) && (
          <ul className="flex flex-col gap-1.5 border-line border-t pt-3" aria-label="By project">
            {summary.by_project.map((each) => (
              <li key={each.project ?? ''} className="num flex justify-between gap-4">
                <span>{each.project ?? 'No project'}</span>
                <span className="text-ink-2">{money(each.cost, currency)}</span>
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Card>
        <CardTitle>By day</CardTitle>
        <Days days={wholeMonth(summary)} currency={currency} />
      </Card>
    </div>
  );
}

/** If the rest of the month is as its beginning was. */
function Forecast({ summary }: { summary: UsageSummary }) {
  const now = useNow();
  const date = new Date(now);
  const first = new Date(date.getFullYear(), date.getMonth(), 1).getTime();
  const next = new Date(date.getFullYear(), date.getMonth() + 1, 1).getTime();
  const forecast = (Number(summary.total_cost) * (next - first)) / Math.max(1, now - first);
  return (
    <p className="num text-ink-3 text-xs">
      About {money(forecast, summary.currency)} by the end of the month, if it goes on like this
    </p>
  );
}

function Budgets() {
  const query = useQuery(budgetsQuery());
  return (query.data ?? []).map((budget) => (
    <div key={budget.id} className="flex flex-col gap-1.5 border-line border-t pt-3">
      <div className="num flex justify-between gap-4">
        <span>{budget.project_id ? 'Budget of a project' : 'My budget'}</span>
        <span className="text-ink-2">
          {money(budget.spent, budget.currency)} of {money(budget.per_month, budget.currency)}
        </span>
      </div>
      <Meter
        label="Budget"
        whole={Number(budget.per_month)}
        parts={[
          {
            name: 'spent',
            value: Math.min(Number(budget.spent), Number(budget.per_month)),
            colour: budget.percent >= 90 ? 'bg-failed-fill' : 'bg-accent',
          },
        ]}
      />
      {budget.hard_stop && <p className="text-ink-3 text-xs">Sessions are stopped when it is used up.</p>}
    </div>
  ));
}

/** Days without usage are days, too. */
function wholeMonth(summary: UsageSummary): UsageSummary['by_day'] {
  const day = summary.by_day[0]?.day;
  if (!day) return [];
  const [year = 0, month = 1] = day.split('-').map(Number);
  const known = new Map(summary.by_day.map((each) => [each.day, each]));
  return Array.from({ length: new Date(year, month, 0).getDate() }, (_, index) => {
    const name = `${day.slice(0, 8)}${String(index + 1).padStart(2, '0')}`;
    return known.get(name) ?? { day: name, gpu_hours: 0, cost: 0 };
  });
}

function Days({ days, currency }: { days: UsageSummary['by_day']; currency: string }) {
  const most = Math.max(0.001, ...days.map((day) => day.gpu_hours));
  if (days.length === 0) return <EmptyState title="No day with usage" />;
  return (
    <ol className="flex h-44 items-end gap-1 p-4" aria-label="GPU hours by day">
      {days.map((day) => {
        const words = `${day.day}: ${amount(day.gpu_hours)} GPU hours${Number(day.cost) > 0 ? `, ${money(day.cost, currency)}` : ''}`;
        return (
          <li key={day.day} title={words} className="flex h-full min-w-0 flex-1 flex-col justify-end gap-1">
            <span className="sr-only">{words}</span>
            <div
              aria-hidden="true"
              className="min-h-px rounded-t bg-accent"
              style={{ height: `${(85 * day.gpu_hours) / most}%` }}
            />
            <span aria-hidden="true" className="num text-center text-ink-3 text-xs">
              {Number(day.day.slice(8, 10))}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function Rows({ rows }: { rows: readonly UsageRow[] }) {
  return (
    <Card className="overflow-x-auto">
      <table className="w-full text-left">
        <thead className="text-ink-3 text-xs">
          <tr>
            {['Session', 'Hardware', 'From', 'Until', 'GPU hours', 'Cost'].map((title) => (
              <th
                key={title}
                scope="col"
                className={`px-4 py-2.5 font-normal ${['GPU hours', 'Cost'].includes(title) ? 'text-right' : ''}`}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-line border-t">
          {rows.map((row) => (
            <tr key={row.id} className="h-9">
              <td className="max-w-60 truncate px-4">
                <Link to={`/sessions/${row.session_id}`} className="hover:underline">
                  {row.session_name ?? row.session_id.slice(0, 8)}
                </Link>
              </td>
              <td className="px-4">
                {row.gpu_count > 0 ? `${row.gpu_count} × ${row.gpu_type.toUpperCase()}` : 'CPU only'}
              </td>
              <td className="px-4">
                <ClockTime at={row.start_time} />
              </td>
              <td className="px-4">
                {row.end_time ? (
                  <ClockTime at={row.end_time} />
                ) : (
                  <span className="text-running">running</span>
                )}
              </td>
              <td className="px-4 text-right">{amount(row.gpu_seconds / 3600)}</td>
              <td className="px-4 text-right">
                {row.free_because ? (
                  <span className="text-ink-3">free: {row.free_because}</span>
                ) : (
                  money(row.cost, row.currency)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
