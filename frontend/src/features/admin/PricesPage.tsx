import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ApiError, call, troubleOf } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { type Budget, gpusQuery, type Price } from '~/api/sessions';
import { Button, IconButton } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { CheckField, SelectField, TextField } from '~/ui/Field';
import { Meter } from '~/ui/Meter';
import { money } from '~/ui/numbers';
import { Dialog } from '~/ui/Overlay';
import { Page } from '~/ui/Page';
import { StatePill } from '~/ui/StatePill';
import { ClockTime, useNow } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';

const allPricesQuery = () =>
  queryOptions({
    queryKey: ['prices', 'all'],
    queryFn: ({ signal }) => call<readonly Price[]>('/api/admin/prices', { signal }),
  });

const allBudgetsQuery = () =>
  queryOptions({
    queryKey: ['budgets', 'all'],
    queryFn: ({ signal }) => call<readonly Budget[]>('/api/admin/budgets', { signal }),
  });

interface PersonLine {
  id: string;
  email: string;
  username: string;
}

const peopleNamesQuery = () =>
  queryOptions({
    queryKey: ['people', 'names'],
    queryFn: async ({ signal }) =>
      (
        await call<{ users: readonly PersonLine[] }>('/api/admin/users', {
          query: { limit: 500 },
          signal,
        })
      ).users,
    staleTime: 60_000,
  });

/** What an hour costs from when on, and what may be spent. */
export function PricesPage() {
  const [dialog, setDialog] = useState<'price' | 'budget'>();
  return (
    <Page
      title="Prices and budgets"
      action={
        <>
          <Button onClick={() => setDialog('budget')}>Set a budget …</Button>
          <Button
            look="primary"
            icon={<Plus aria-hidden="true" className="size-4" />}
            onClick={() => setDialog('price')}
          >
            Set a price …
          </Button>
        </>
      }
    >
      <Prices />
      <Budgets />
      <NewPrice open={dialog === 'price'} onClose={() => setDialog(undefined)} />
      <NewBudget open={dialog === 'budget'} onClose={() => setDialog(undefined)} />
    </Page>
  );
}

export function resourceWords(resource: string): string {
  if (resource === 'cpu') return 'CPU';
  if (resource === 'gpu') return 'Any GPU without a price of its own';
  return resource.replace('gpu:', '').toUpperCase();
}

function Prices() {
  const now = useNow();
  const client = useQueryClient();
  const toasts = useToasts();
  const query = useQuery(allPricesQuery());
  const remove = useMutation({
    mutationFn: (price: Price) => call<void>(`/api/admin/prices/${price.id}`, { method: 'DELETE' }),
    onSuccess: (_, price) =>
      toasts.done(`${resourceWords(price.resource)} has that price no more.`, () => again.mutate(price)),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => client.invalidateQueries({ queryKey: ['prices'] }),
  });
  const again = useMutation({
    mutationFn: (price: Price) =>
      call<unknown>('/api/admin/prices', {
        method: 'POST',
        body: { resource: price.resource, per_hour: price.per_hour, from: price.from },
      }),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => client.invalidateQueries({ queryKey: ['prices'] }),
  });
  return (
    <Loaded
      query={query}
      skeleton={
        <Card>
          <SkeletonRows rows={4} label="Loading prices" />
        </Card>
      }
      empty={{
        when: (all) => all.length === 0,
        show: (
          <Card>
            <EmptyState
              title="Everything is free"
              body="Set a price for a type of GPU or for CPUs, and sessions are charged by the second from then on."
            />
          </Card>
        ),
      }}
    >
      {(all) => (
        <Card className="overflow-x-auto">
          <CardTitle>Prices of an hour</CardTitle>
          <table className="num w-full text-left">
            <thead className="text-ink-3 text-xs">
              <tr>
                <th scope="col" className="px-4 py-2 font-normal">
                  What
                </th>
                <th scope="col" className="px-4 py-2 font-normal">
                  State
                </th>
                <th scope="col" className="px-4 py-2 text-right font-normal">
                  An hour
                </th>
                <th scope="col" className="px-4 py-2 font-normal">
                  From
                </th>
                <th scope="col" className="px-4 py-2 font-normal">
                  Until
                </th>
                <th scope="col" className="px-4 py-2">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line border-line border-t">
              {all.map((price) => {
                const comes = Date.parse(price.from) > now;
                const over = price.until !== null && Date.parse(price.until) <= now;
                return (
                  <tr key={price.id} className="h-11">
                    <td className="px-4 font-medium">{resourceWords(price.resource)}</td>
                    <td className="px-4">
                      <StatePill look={over ? 'completed' : comes ? 'pending' : 'running'}>
                        {over ? 'Over' : comes ? 'To come' : 'In force'}
                      </StatePill>
                    </td>
                    <td className="px-4 text-right">{money(price.per_hour, price.currency)}</td>
                    <td className="whitespace-nowrap px-4">
                      <ClockTime at={price.from} />
                    </td>
                    <td className="whitespace-nowrap px-4 text-ink-2">
                      {price.until ? <ClockTime at={price.until} /> : 'another is set'}
                    </td>
                    <td className="px-4 text-right">
                      <IconButton name="Take this price back" onClick={() => remove.mutate(price)}>
                        <Trash2 aria-hidden="true" className="size-4" />
                      </IconButton>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Card>
      )}
    </Loaded>
  );
}

function NewPrice({ open, onClose }: { open: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const pools = useQuery({ ...gpusQuery(), enabled: open });
  const set = useMutation({
    mutationFn: (wish: { resource: string; per_hour: string; from?: string }) =>
      call<unknown>('/api/admin/prices', { method: 'POST', body: wish }),
    onSuccess: () => {
      toasts.done('The price is set.');
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['prices'] }),
  });
  const fields = set.error instanceof ApiError ? set.error.fields : {};

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const from = String(form.get('from'));
    set.mutate({
      resource: String(form.get('resource')),
      per_hour: String(form.get('per_hour')).replace(',', '.'),
      ...(from ? { from: new Date(from).toISOString() } : {}),
    });
  }

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Set a price"
      hint="It holds until another is set. What was billed already keeps its price."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <SelectField label="What" name="resource" error={fields.resource}>
          {(pools.data ?? []).map((pool) => (
            <option key={pool.gpu_type} value={`gpu:${pool.gpu_type}`}>
              {pool.gpu_type.toUpperCase()}
            </option>
          ))}
          <option value="gpu">Any GPU without a price of its own</option>
          <option value="cpu">CPU</option>
        </SelectField>
        <TextField
          label="Price of an hour"
          name="per_hour"
          inputMode="decimal"
          placeholder="2.50"
          required
          pattern="[0-9]+([.,][0-9]{1,6})?"
          error={fields.per_hour}
        />
        <TextField
          label="From"
          name="from"
          type="datetime-local"
          hint="Empty: from now on."
          error={fields.from}
        />
        <Refusal error={set.error} fields={fields} />
        <Button look="primary" type="submit" busy={set.isPending} className="self-end">
          Set it
        </Button>
      </form>
    </Dialog>
  );
}

function Refusal({ error, fields }: { error: Error | null; fields: Readonly<Record<string, string>> }) {
  if (!error || Object.keys(fields).length > 0) return null;
  const trouble = troubleOf(error);
  return (
    <p role="alert" className="text-failed">
      {trouble.because} {trouble.remedy}
    </p>
  );
}

function Budgets() {
  const client = useQueryClient();
  const toasts = useToasts();
  const query = useQuery(allBudgetsQuery());
  const people = useQuery(peopleNamesQuery());
  const remove = useMutation({
    mutationFn: (budget: Budget) => call<void>(`/api/admin/budgets/${budget.id}`, { method: 'DELETE' }),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => client.invalidateQueries({ queryKey: ['budgets'] }),
  });
  const whose = (budget: Budget) =>
    people.data?.find((person) => person.id === budget.person_id)?.username ??
    (budget.project_id ? `Project ${budget.project_id.slice(0, 8)}` : 'Somebody');
  return (
    <Loaded
      query={query}
      skeleton={
        <Card>
          <SkeletonRows rows={2} label="Loading budgets" />
        </Card>
      }
      empty={{
        when: (all) => all.length === 0,
        show: (
          <Card>
            <EmptyState title="Nobody has a budget" body="Everybody may spend what quotas let them." />
          </Card>
        ),
      }}
    >
      {(all) => (
        <Card>
          <CardTitle>Budgets of this month</CardTitle>
          <ul className="num divide-y divide-line">
            {all.map((budget) => (
              <li key={budget.id} className="flex flex-wrap items-center gap-4 px-4 py-2.5">
                <span className="w-40 truncate font-medium">{whose(budget)}</span>
                <span className="min-w-40 flex-1">
                  <Meter
                    label={`Budget of ${whose(budget)}`}
                    whole={Number(budget.per_month)}
                    parts={[
                      {
                        name: 'spent',
                        value: Math.min(Number(budget.spent), Number(budget.per_month)),
                        colour: budget.percent >= 90 ? 'bg-failed-fill' : 'bg-accent',
                      },
                    ]}
                  />
                </span>
                <span className="text-ink-2">
                  {money(budget.spent, budget.currency)} of {money(budget.per_month, budget.currency)}
                </span>
                <span className="w-32 text-ink-3 text-xs">
                  {budget.hard_stop ? 'stops sessions at the end' : 'only alerts'}
                </span>
                <IconButton
                  name={`Take the budget of ${whose(budget)} away`}
                  onClick={() => remove.mutate(budget)}
                >
                  <Trash2 aria-hidden="true" className="size-4" />
                </IconButton>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Loaded>
  );
}

function NewBudget({ open, onClose }: { open: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const toasts = useToasts();
  const people = useQuery({ ...peopleNamesQuery(), enabled: open });
  const [stops, setStops] = useState(false);
  const set = useMutation({
    mutationFn: (wish: { person_id: string; per_month: string; hard_stop: boolean }) =>
      call<unknown>('/api/admin/budgets', { method: 'PUT', body: wish }),
    onSuccess: () => {
      toasts.done('The budget is set.');
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['budgets'] }),
  });
  const fields = set.error instanceof ApiError ? set.error.fields : {};

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    set.mutate({
      person_id: String(form.get('person')),
      per_month: String(form.get('per_month')).replace(',', '.'),
      hard_stop: stops,
    });
  }

  return (
    <Dialog open={open} onClose={onClose} title="Set a budget" hint="For each calendar month, in UTC.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <SelectField label="Whose" name="person" error={fields.person_id}>
          {(people.data ?? []).map((person) => (
            <option key={person.id} value={person.id}>
              {person.username}, {person.email}
            </option>
          ))}
        </SelectField>
        <TextField
          label="A month"
          name="per_month"
          inputMode="decimal"
          required
          pattern="[0-9]+([.,][0-9]{1,2})?"
          error={fields.per_month}
        />
        <CheckField
          label="Stop their sessions when it is used up"
          hint="Without it they are only told."
          checked={stops}
          onChange={setStops}
        />
        <Refusal error={set.error} fields={fields} />
        <Button look="primary" type="submit" busy={set.isPending} className="self-end">
          Set it
        </Button>
      </form>
    </Dialog>
  );
}
