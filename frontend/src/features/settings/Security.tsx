import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { ApiError, call, troubleOf } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { meQuery, useMe } from '~/features/auth/session';
import { Button } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { CopyButton } from '~/ui/Copy';
import { SkeletonRows } from '~/ui/Feedback';
import { TextField } from '~/ui/Field';
import { RelativeTime } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';

interface Login {
  id: string;
  signed_in_at: string;
  used_at: string;
  way: string;
  address: string;
  agent: string;
}

const loginsQuery = () =>
  queryOptions({
    queryKey: ['logins'],
    queryFn: ({ signal }) => call<readonly Login[]>('/api/auth/logins', { signal }),
  });

export function SecuritySettings() {
  const me = useMe();
  return (
    <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-2">
      {me.has_password && <PasswordCard />}
      {me.has_password && <SecondFactorCard />}
      <LoginsCard />
    </div>
  );
}

function PasswordCard() {
  const toasts = useToasts();
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: (wish: { current: string; password: string }) =>
      call<void>('/api/auth/password', { method: 'POST', body: wish }),
    onSuccess: () => {
      toasts.done('The password was changed. You are signed out everywhere else.');
      form.current?.reset();
    },
  });
  const refused = change.error instanceof ApiError ? change.error : undefined;

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    change.mutate({ current: String(data.get('current')), password: String(data.get('password')) });
  }

  return (
    <Card>
      <CardTitle>Password</CardTitle>
      <form ref={form} onSubmit={submit} className="flex flex-col gap-4 p-4">
        <TextField
          label="Present password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          error={refused && !refused.fields.password ? refused.because : undefined}
        />
        <TextField
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          error={refused?.fields.password}
        />
        <Button look="primary" type="submit" busy={change.isPending} className="self-start">
          Change it
        </Button>
      </form>
    </Card>
  );
}

function SecondFactorCard() {
  const me = useMe();
  const client = useQueryClient();
  const toasts = useToasts();
  const renew = () => client.invalidateQueries({ queryKey: meQuery().queryKey });
  const start = useMutation({
    mutationFn: () => call<{ secret: string; url: string }>('/api/auth/totp', { method: 'POST', body: {} }),
    onError: (error) => toasts.failed(troubleOf(error).because),
  });
  const confirm = useMutation({
    mutationFn: (code: string) =>
      call<{ recovery_codes: readonly string[] }>('/api/auth/totp/confirm', {
        method: 'POST',
        body: { code },
      }),
    onSuccess: renew,
  });
  const end = useMutation({
    mutationFn: (code: string) => call<void>('/api/auth/totp/off', { method: 'POST', body: { code } }),
    onSuccess: () => {
      start.reset();
      confirm.reset();
      return renew();
    },
  });

  function codeOf(event: FormEvent<HTMLFormElement>): string {
    event.preventDefault();
    return String(new FormData(event.currentTarget).get('code')).trim();
  }

  return (
    <Card>
      <CardTitle>Second factor</CardTitle>
      <div className="flex flex-col gap-4 p-4">
        {confirm.data && (
          <div className="flex flex-col gap-2 rounded-lg border border-line bg-sunken p-3">
            <p>
              Keep these codes somewhere safe. Each lets you in once if you lose your phone; they are not
              shown again.
            </p>
            <div className="flex items-start justify-between gap-2">
              <ul className="grid grid-cols-2 gap-x-6 font-mono text-xs">
                {confirm.data.recovery_codes.map((code) => (
                  <li key={code}>{code}</li>
                ))}
              </ul>
              <CopyButton text={confirm.data.recovery_codes.join('\n')} name="Copy the codes" />
            </div>
          </div>
        )}
        {me.has_second_factor ? (
          <form onSubmit={(event) => end.mutate(codeOf(event))} className="flex flex-col gap-4">
            <p className="text-ink-2">It is on: signing in needs a code of your authenticator, too.</p>
            <TextField
              label="Code, to turn it off"
              name="code"
              autoComplete="one-time-code"
              required
              error={end.error ? troubleOf(end.error).because : undefined}
            />
            <Button type="submit" look="danger" busy={end.isPending} className="self-start">
              Turn it off
            </Button>
          </form>
        ) : start.data ? (
          <form onSubmit={(event) => confirm.mutate(codeOf(event))} className="flex flex-col gap-4">
            <p className="text-ink-2">
              Add this secret to your authenticator, or{' '}
              <a href={start.data.url} className="text-accent-ink underline">
                open it on this device
              </a>
              .
            </p>
            <div className="flex items-center justify-between rounded-lg border border-line bg-sunken py-1 pr-1 pl-3">
              <code className="break-all font-mono text-xs">{start.data.secret}</code>
              <CopyButton text={start.data.secret} name="Copy the secret" />
            </div>
            <TextField
              label="The code that it shows"
              name="code"
              autoComplete="one-time-code"
              required
              error={confirm.error ? troubleOf(confirm.error).because : undefined}
            />
            <Button look="primary" type="submit" busy={confirm.isPending} className="self-start">
              Turn it on
            </Button>
          </form>
        ) : (
          <>
            <p className="text-ink-2">
              A code from your phone beside the password. Whoever learns your password alone stays out.
            </p>
            <Button className="self-start" busy={start.isPending} onClick={() => start.mutate()}>
              Set it up
            </Button>
          </>
        )}
      </div>
    </Card>
  );
}

function LoginsCard() {
  const client = useQueryClient();
  const toasts = useToasts();
  const query = useQuery(loginsQuery());
  const end = useMutation({
    mutationFn: (login: Login) => call<void>(`/api/auth/logins/${login.id}`, { method: 'DELETE' }),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: () => client.invalidateQueries({ queryKey: loginsQuery().queryKey }),
  });
  return (
    <Card className="lg:col-span-2">
      <CardTitle>Where you are signed in</CardTitle>
      <Loaded query={query} skeleton={<SkeletonRows rows={2} label="Loading" />}>
        {(logins) => (
          <ul className="divide-y divide-line">
            {logins.map((login) => (
              <li key={login.id} className="flex items-center gap-4 px-4 py-3">
                <div className="min-w-0 flex-1">
                  <p className="truncate" title={login.agent}>
                    {login.agent || 'unknown'}
                  </p>
                  <p className="text-ink-3 text-xs">
                    {login.address} · by {login.way} · used <RelativeTime at={login.used_at} />
                  </p>
                </div>
                <Button size="small" onClick={() => end.mutate(login)}>
                  Sign out there
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}
