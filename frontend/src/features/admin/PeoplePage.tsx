import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { MoreHorizontal, UserPlus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call, troubleOf } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { type Me, useMe } from '~/features/auth/session';
import { Button, IconButton } from '~/ui/Button';
import { Card } from '~/ui/Card';
import { CommandLine } from '~/ui/Copy';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { TextField } from '~/ui/Field';
import { Dialog, Menu } from '~/ui/Overlay';
import { Page } from '~/ui/Page';
import { RelativeTime } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';

type Person = Me & { is_active: boolean; last_login_at: string | null };

const peopleQuery = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['people', q],
    queryFn: ({ pageParam, signal }) =>
      call<{ users: readonly Person[]; next: string | null }>('/api/admin/users', {
        query: { q, after: pageParam, limit: 100 },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

export function PeoplePage() {
  const [text, setText] = useState('');
  const [link, setLink] = useState<{ title: string; url: string; expires_at: string }>();
  const query = useInfiniteQuery(peopleQuery(text));
  const people = query.data?.pages.flatMap((page) => page.users) ?? [];
  return (
    <Page title="People" action={<Invite onLink={(made) => setLink({ title: 'Send this link', ...made })} />}>
      <input
        type="search"
        aria-label="Find people"
        placeholder="Name or e-mail"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="h-9 w-full max-w-sm rounded-lg border border-line bg-surface px-3 placeholder:text-ink-3"
      />
      <Loaded
        query={query}
        skeleton={
          <Card>
            <SkeletonRows rows={6} label="Loading people" />
          </Card>
        }
        empty={{ when: () => people.length === 0, show: <EmptyState title="Nobody by that name" /> }}
      >
        {() => (
          <Card className="overflow-x-auto">
            <table className="w-full text-left">
              <thead className="text-ink-3 text-xs">
                <tr>
                  {['Name', 'E-mail', 'On the cluster', 'GPUs', 'Role', 'Last here', ''].map((title) => (
                    <th key={title} scope="col" className="px-4 py-2.5 font-normal">
                      {title || <span className="sr-only">Actions</span>}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody className="divide-y divide-line border-line border-t">
                {people.map((person) => (
                  <PersonRow key={person.id} person={person} onLink={setLink} />
                ))}
              </tbody>
            </table>
            {query.hasNextPage && (
              <div className="border-line border-t p-3 text-center">
                <Button size="small" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                  More
                </Button>
              </div>
            )}
          </Card>
        )}
      </Loaded>
      <Dialog
        open={link !== undefined}
        onClose={() => setLink(undefined)}
        title={link?.title ?? ''}
        hint={link && `It works once, until ${new Date(link.expires_at).toLocaleString()}.`}
      >
        {link && <CommandLine text={link.url} />}
      </Dialog>
    </Page>
  );
}

function PersonRow({
  person,
  onLink,
}: {
  person: Person;
  onLink: (link: { title: string; url: string; expires_at: string }) => void;
}) {
  const me = useMe();
  const client = useQueryClient();
  const toasts = useToasts();
  const renew = () => client.invalidateQueries({ queryKey: ['people'] });
  const refused = (error: Error) => toasts.failed(troubleOf(error).because);
  const change = useMutation({
    mutationFn: (wish: { is_admin?: boolean; is_active?: boolean }) =>
      call<Person>(`/api/admin/users/${person.id}`, { method: 'PATCH', body: wish }),
    onSuccess: (_, wish) => {
      const undo = Object.fromEntries(Object.entries(wish).map(([name, value]) => [name, !value]));
      toasts.done(`${person.username} was changed.`, () => change.mutate(undo));
    },
    onError: refused,
    onSettled: renew,
  });
  const quota = useMutation({
    mutationFn: (max: number | null) =>
      call<unknown>('/api/admin/users/quota', {
        method: 'PUT',
        body: { email: person.email, max_gpus: max },
      }),
    onSuccess: (_, max) => {
      const before = person.max_gpus;
      toasts.done(`${person.username} may use ${max === null ? 'any number of' : max} GPUs at a time.`, () =>
        quota.mutate(before),
      );
    },
    onError: refused,
    onSettled: renew,
  });
  const reset = useMutation({
    mutationFn: () =>
      call<{ url: string; expires_at: string }>(`/api/admin/users/${person.id}/reset`, {
        method: 'POST',
        body: {},
      }),
    onSuccess: (made) => onLink({ title: `A new password for ${person.username}`, ...made }),
    onError: refused,
  });
  const endLogins = useMutation({
    mutationFn: () => call<void>(`/api/admin/users/${person.id}/logout`, { method: 'POST', body: {} }),
    onSuccess: () => toasts.done(`${person.username} is signed out everywhere.`),
    onError: refused,
  });
  return (
    <tr className={person.is_active ? 'h-11' : 'h-11 text-ink-3'}>
      <td className="px-4">
        <span className="font-medium">{person.display_name || person.username}</span>
        {!person.is_active && ' (disabled)'}
      </td>
      <td className="px-4">{person.email}</td>
      <td className="px-4 font-mono text-xs">{person.linked_name ?? person.unix_name ?? '–'}</td>
      <td className="px-4">
        <input
          key={person.max_gpus}
          aria-label={`GPUs that ${person.username} may use`}
          inputMode="numeric"
          placeholder="no limit"
          defaultValue={person.max_gpus ?? ''}
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
          onBlur={(event) => {
            const typed = event.target.value.trim();
            const max = typed === '' ? null : Number(typed);
            if (max === person.max_gpus) return;
            if (max !== null && !(Number.isInteger(max) && max >= 0))
              toasts.failed('That is not a number of GPUs.');
            else quota.mutate(max);
          }}
          className="num h-7 w-20 rounded border border-transparent bg-transparent px-2 hover:border-line focus:border-accent-ink"
        />
      </td>
      <td className="px-4">{person.is_admin ? 'Administrator' : 'User'}</td>
      <td className="px-4 text-ink-2">
        {person.last_login_at ? <RelativeTime at={person.last_login_at} /> : 'never'}
      </td>
      <td className="px-4 text-right">
        {person.id !== me.id && (
          <Menu
            trigger={
              <IconButton name={`Change ${person.username}`}>
                <MoreHorizontal aria-hidden="true" className="size-4" />
              </IconButton>
            }
            entries={[
              {
                text: person.is_admin ? 'Make a user' : 'Make an administrator',
                onSelect: () => change.mutate({ is_admin: !person.is_admin }),
              },
              { text: 'Link to a new password', onSelect: () => reset.mutate() },
              { text: 'Sign out everywhere', onSelect: () => endLogins.mutate() },
              {
                text: person.is_active ? 'Disable' : 'Enable',
                danger: person.is_active,
                onSelect: () => change.mutate({ is_active: !person.is_active }),
              },
            ]}
          />
        )}
      </td>
    </tr>
  );
}

function Invite({ onLink }: { onLink: (link: { url: string; expires_at: string }) => void }) {
  const toasts = useToasts();
  const [open, setOpen] = useState(false);
  const invite = useMutation({
    mutationFn: (email: string) =>
      call<{ url: string; expires_at: string }>('/api/admin/invitations', {
        method: 'POST',
        body: email ? { email } : {},
      }),
    onSuccess: (made) => {
      setOpen(false);
      onLink(made);
    },
    onError: (error) => toasts.failed(troubleOf(error).because),
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    invite.mutate(String(new FormData(event.currentTarget).get('email')).trim());
  }

  return (
    <>
      <Button
        look="primary"
        icon={<UserPlus aria-hidden="true" className="size-4" />}
        onClick={() => setOpen(true)}
      >
        Invite somebody
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Invite somebody"
        hint="You get a link to send, which works once."
      >
        <form onSubmit={submit} className="flex flex-col gap-4">
          <TextField
            label="E-mail"
            name="email"
            type="email"
            hint="Left empty: whoever has the link may use it."
          />
          <Button look="primary" type="submit" busy={invite.isPending} className="self-end">
            Make the link
          </Button>
        </form>
      </Dialog>
    </>
  );
}
