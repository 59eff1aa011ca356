import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Trash2 } from 'lucide-react';
import { type FormEvent, useRef } from 'react';
import { ApiError, call, troubleOf } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { Button, IconButton } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { TextArea, TextField } from '~/ui/Field';
import { RelativeTime } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';

export interface SshKey {
  id: string;
  name: string;
  public_key: string;
  fingerprint: string;
  created_at: string;
}

export const keysQuery = () =>
  queryOptions({
    queryKey: ['ssh-keys'],
    queryFn: ({ signal }) => call<readonly SshKey[]>('/api/users/me/ssh-keys', { signal }),
  });

export function KeySettings() {
  const client = useQueryClient();
  const toasts = useToasts();
  const form = useRef<HTMLFormElement>(null);
  const query = useQuery(keysQuery());
  const renew = () => client.invalidateQueries({ queryKey: keysQuery().queryKey });
  const add = useMutation({
    mutationFn: (wish: { name: string; public_key: string }) =>
      call<SshKey>('/api/users/me/ssh-keys', { method: 'POST', body: wish }),
    onSuccess: (key) => {
      toasts.done(`Added ${key.name}. Sessions that run know it already.`);
      form.current?.reset();
      return renew();
    },
  });
  const remove = useMutation({
    mutationFn: (key: SshKey) => call<void>(`/api/users/me/ssh-keys/${key.id}`, { method: 'DELETE' }),
    onSuccess: (_, key) =>
      toasts.done(`Deleted ${key.name}. Connections that it opened end.`, () =>
        add.mutate({ name: key.name, public_key: key.public_key }),
      ),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: renew,
  });
  const refused = add.error instanceof ApiError ? add.error : undefined;

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    add.mutate({ name: String(data.get('name')), public_key: String(data.get('public_key')).trim() });
  }

  return (
    <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-[minmax(0,1fr)_400px]">
      <Card>
        <CardTitle>SSH keys</CardTitle>
        <Loaded
          query={query}
          skeleton={<SkeletonRows rows={3} label="Loading your keys" />}
          empty={{
            when: (keys) => keys.length === 0,
            show: (
              <EmptyState
                icon={<KeyRound aria-hidden="true" className="size-8" />}
                title="No key yet"
                body="With a key you reach your sessions by ssh, scp, rsync and the remote mode of your editor."
              />
            ),
          }}
        >
          {(keys) => (
            <ul className="divide-y divide-line">
              {keys.map((key) => (
                <li key={key.id} className="flex items-center gap-4 px-4 py-3">
                  <div className="min-w-0 flex-1">
                    <p className="truncate font-medium">{key.name}</p>
                    <p className="truncate font-mono text-ink-3 text-xs">{key.fingerprint}</p>
                  </div>
                  <span className="hidden text-ink-3 text-xs sm:block">
                    added <RelativeTime at={key.created_at} />
                  </span>
                  <IconButton name={`Delete ${key.name}`} onClick={() => remove.mutate(key)}>
                    <Trash2 aria-hidden="true" className="size-4" />
                  </IconButton>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      <Card>
        <CardTitle>Add a key</CardTitle>
        <form ref={form} onSubmit={submit} className="flex flex-col gap-4 p-4">
          <TextArea
            label="Public key"
            name="public_key"
            required
            rows={4}
            spellCheck={false}
            placeholder="ssh-ed25519 AAAA…"
            hint="What is in ~/.ssh/id_ed25519.pub; ssh-keygen makes it. Never the file without .pub."
            className="font-mono text-xs"
            error={
              refused?.fields.public_key ?? (refused && !refused.fields.name ? refused.because : undefined)
            }
          />
          <TextField
            label="Name"
            name="name"
            hint="Left empty: the comment of the key."
            error={refused?.fields.name}
          />
          <Button look="primary" type="submit" busy={add.isPending} className="self-start">
            Add it
          </Button>
        </form>
      </Card>
    </div>
  );
}
