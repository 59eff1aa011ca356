import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ApiError, call, troubleOf } from '~/api/client';
import { meQuery, useMe } from '~/features/auth/session';
import { Button } from '~/ui/Button';
import { Card, CardTitle, Facts } from '~/ui/Card';
import { CommandLine } from '~/ui/Copy';
import { TextField } from '~/ui/Field';
import { RelativeTime } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';

export function AccountSettings() {
  const me = useMe();
  const client = useQueryClient();
  const toasts = useToasts();
  const change = useMutation({
    mutationFn: (displayName: string) =>
      call<unknown>('/api/users/me', { method: 'PATCH', body: { display_name: displayName } }),
    onSuccess: () => {
      toasts.done('Saved.');
      return client.invalidateQueries({ queryKey: meQuery().queryKey });
    },
  });
  const link = useMutation({
    mutationFn: () =>
      call<{ code: string; expires_at: string }>('/api/users/me/link', { method: 'POST', body: {} }),
    onError: (error) => toasts.failed(troubleOf(error).because),
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    change.mutate(String(new FormData(event.currentTarget).get('name')));
  }

  return (
    <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-2">
      <Card>
        <CardTitle>You</CardTitle>
        <form onSubmit={submit} className="flex flex-col gap-4 p-4">
          <TextField
            label="Name that others see"
            name="name"
            defaultValue={me.display_name ?? ''}
            maxLength={100}
            error={
              change.error instanceof ApiError
                ? (change.error.fields.display_name ?? change.error.because)
                : undefined
            }
          />
          <Button look="primary" type="submit" busy={change.isPending} className="self-start">
            Save
          </Button>
        </form>
        <Facts
          facts={[
            ['E-mail', me.email],
            ['User name', me.username],
            ['Signs in by', [me.has_password ? 'password' : '', ...me.providers].filter(Boolean).join(', ')],
            ['GPUs at a time', me.max_gpus ?? 'no limit of your own'],
            ['Here since', <RelativeTime key="since" at={me.created_at} />],
          ]}
        />
      </Card>
      <Card>
        <CardTitle>On the cluster</CardTitle>
        <div className="flex flex-col gap-4 p-4">
          {me.linked_name ? (
            <p>
              You are <strong className="font-medium">{me.linked_name}</strong> on the cluster: your jobs,
              files and limits are the same here and there.
            </p>
          ) : (
            <>
              <p className="text-ink-2">
                {me.unix_name
                  ? `Your sessions run as ${me.unix_name}. `
                  : 'Your first session makes an account on the cluster for you. '}
                If you have an account there already, link it: your jobs and files are then the same here and
                there.
              </p>
              {link.data ? (
                <>
                  <p>Type this on a login node, as yourself:</p>
                  <CommandLine text={`spur cloud link ${link.data.code}`} />
                  <p className="text-ink-3 text-xs">
                    It is good until <RelativeTime at={link.data.expires_at} />.
                  </p>
                </>
              ) : (
                <Button className="self-start" busy={link.isPending} onClick={() => link.mutate()}>
                  Link an account
                </Button>
              )}
            </>
          )}
        </div>
      </Card>
    </div>
  );
}
