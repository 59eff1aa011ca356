import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { ApiError, call, troubleOf } from '~/api/client';
import { Button } from '~/ui/Button';
import { ErrorNotice } from '~/ui/Feedback';
import { TextField } from '~/ui/Field';
import { Entrance } from './Entrance';
import { meQuery, type Provider, providersQuery } from './session';

/** The enabled ways in, and nothing else. */
export function LoginPage() {
  const [parameters] = useSearchParams();
  const providers = useQuery(providersQuery());
  const local = providers.data?.providers.some((each) => each.name === 'local') ?? true;
  const others = providers.data?.providers.filter((each) => each.name !== 'local') ?? [];
  const refused = parameters.get('error');

  return (
    <Entrance title="Sign in">
      {providers.data?.needs_setup && (
        <p className="rounded-lg border border-line bg-sunken p-3 text-ink-2">
          Nobody has an account yet. The first start printed a link that makes you the administrator; print a
          new one on the server with <code className="font-mono text-xs">spur cloud admin-link</code>.
        </p>
      )}
      {refused && <ErrorNotice trouble={{ title: 'You were not signed in', because: refused }} />}
      {providers.error && (
        <ErrorNotice trouble={troubleOf(providers.error)} onRetry={() => providers.refetch()} />
      )}
      {others.map((provider) => (
        <ProviderButton key={provider.name} provider={provider} />
      ))}
      {others.length > 0 && local && (
        <div className="flex items-center gap-3 text-ink-3 text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          or
        </div>
      )}
      {local && <PasswordForm />}
      {providers.data?.registration === 'open' && (
        <p className="text-center text-ink-2">
          New here?{' '}
          <Link to="/register" className="font-medium text-accent-ink hover:underline">
            Make an account
          </Link>
        </p>
      )}
    </Entrance>
  );
}

function ProviderButton({ provider }: { provider: Provider }) {
  return (
    <Button asChild size="large">
      <a href={provider.authorize_url}>
        <KeyRound aria-hidden="true" className="size-4" />
        Continue with {provider.display_name}
      </a>
    </Button>
  );
}

function PasswordForm() {
  const client = useQueryClient();
  const location = useLocation();
  const [needsCode, setNeedsCode] = useState(false);
  const signIn = useMutation({
    mutationFn: (wish: { email: string; password: string; code?: string }) =>
      call<unknown>('/api/auth/login', { method: 'POST', body: wish, anonymous: true }),
    onSuccess: () => client.invalidateQueries({ queryKey: meQuery().queryKey }),
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'second-factor-needed') setNeedsCode(true);
    },
  });
  const asksForCode = signIn.error instanceof ApiError && signIn.error.code === 'second-factor-needed';

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const code = String(form.get('code') ?? '').trim();
    signIn.mutate({
      email: String(form.get('email')),
      password: String(form.get('password')),
      ...(code ? { code } : {}),
    });
  }

  const left = (location.state as { from?: string } | null)?.from;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4" aria-label="Sign in with a password">
      {left && left !== '/' && <p className="text-ink-3 text-xs">You will be back where you were.</p>}
      <TextField label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
      <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
      {needsCode && (
        <TextField
          label="Code from your authenticator"
          hint="Or one of your recovery codes."
          name="code"
          autoComplete="one-time-code"
          required
          autoFocus
        />
      )}
      {signIn.error && !asksForCode && (
        <p role="alert" className="text-failed">
          {troubleOf(signIn.error).because}
        </p>
      )}
      <Button look="primary" size="large" type="submit" busy={signIn.isPending}>
        Sign in
      </Button>
    </form>
  );
}
