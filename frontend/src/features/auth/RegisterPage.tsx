import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { ApiError, call, troubleOf } from '~/api/client';
import { Button } from '~/ui/Button';
import { TextField } from '~/ui/Field';
import { Entrance } from './Entrance';
import { meQuery } from './session';

/** A new account, where that is open or by an invitation. */
export function RegisterPage() {
  const [parameters] = useSearchParams();
  return (
    <NewAccount
      title="Make an account"
      path="/api/auth/register"
      proof={{ invitation: parameters.get('invitation') ?? undefined }}
    />
  );
}

/** What the link of the first start leads to. */
export function SetupPage() {
  const [parameters] = useSearchParams();
  return (
    <NewAccount
      title="Welcome to Spur Cloud"
      hint="This link makes you its first administrator."
      path="/api/auth/setup"
      proof={{ code: parameters.get('code') ?? undefined }}
    />
  );
}

function NewAccount({
  title,
  hint,
  path,
  proof,
}: {
  title: string;
  hint?: string;
  path: string;
  proof: Readonly<Record<string, string | undefined>>;
}) {
  const client = useQueryClient();
  const register = useMutation({
    mutationFn: (wish: Readonly<Record<string, string>>) =>
      call<unknown>(path, { method: 'POST', body: { ...wish, ...proof }, anonymous: true }),
    onSuccess: () => client.invalidateQueries({ queryKey: meQuery().queryKey }),
  });
  const fields = register.error instanceof ApiError ? register.error.fields : {};

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    register.mutate({
      email: String(form.get('email')),
      username: String(form.get('username')),
      password: String(form.get('password')),
    });
  }

  return (
    <Entrance title={title} hint={hint}>
      <form onSubmit={submit} className="flex flex-col gap-4" aria-label="New account">
        <TextField
          label="E-mail"
          name="email"
          type="email"
          autoComplete="email"
          required
          autoFocus
          error={fields.email}
        />
        <TextField
          label="Name"
          name="username"
          autoComplete="username"
          required
          hint="How others see you: letters, digits, - and _."
          error={fields.username}
        />
        <NewPasswordField error={fields.password} />
        <Refusal error={register.error} shown={Object.keys(fields).length === 0} />
        <Button look="primary" size="large" type="submit" busy={register.isPending}>
          Make the account
        </Button>
      </form>
      <ToSignIn>Have one?</ToSignIn>
    </Entrance>
  );
}

/** What an administrator's link to a new password leads to. */
export function ResetPage() {
  const [parameters] = useSearchParams();
  const navigate = useNavigate();
  const reset = useMutation({
    mutationFn: (password: string) =>
      call<void>('/api/auth/reset', {
        method: 'POST',
        body: { code: parameters.get('code'), password },
        anonymous: true,
      }),
    onSuccess: () => navigate('/login'),
  });
  const fields = reset.error instanceof ApiError ? reset.error.fields : {};
  return (
    <Entrance title="Choose a new password">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          reset.mutate(String(new FormData(event.currentTarget).get('password')));
        }}
      >
        <NewPasswordField error={fields.password} />
        <Refusal error={reset.error} shown={Object.keys(fields).length === 0} />
        <Button look="primary" size="large" type="submit" busy={reset.isPending}>
          Set the password
        </Button>
      </form>
      <ToSignIn>Remember it after all?</ToSignIn>
    </Entrance>
  );
}

function NewPasswordField({ error }: { error: string | undefined }) {
  return (
    <TextField
      label="Password"
      name="password"
      type="password"
      autoComplete="new-password"
      required
      minLength={8}
      hint="At least 8 characters; longer is better than stranger."
      error={error}
    />
  );
}

function Refusal({ error, shown }: { error: Error | null; shown: boolean }) {
  if (!error || !shown) return null;
  const trouble = troubleOf(error);
  return (
    <p role="alert" className="text-failed">
      {trouble.because} {trouble.remedy}
    </p>
  );
}

function ToSignIn({ children }: { children: ReactNode }) {
  return (
    <p className="text-center text-ink-2">
      {children}{' '}
      <Link to="/login" className="font-medium text-accent-ink hover:underline">
        Sign in
      </Link>
    </p>
  );
}
