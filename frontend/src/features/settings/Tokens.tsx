import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { KeySquare, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ApiError, call, troubleOf } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { useMe } from '~/features/auth/session';
import { Button, IconButton } from '~/ui/Button';
import { Card, CardTitle } from '~/ui/Card';
import { CommandLine } from '~/ui/Copy';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { CheckField, SelectField, TextField } from '~/ui/Field';
import { RelativeTime } from '~/ui/Time';
import { useToasts } from '~/ui/Toasts';

interface ApiToken {
  id: string;
  name: string;
  scopes: readonly string[];
  created_at: string;
  expires_at: string | null;
  used_at: string | null;
}

const scopes = [
  ['read', 'See everything that you see'],
  ['sessions', 'Launch and end sessions'],
  ['account', 'Change your profile and keys'],
  ['billing', 'See what was used and what it costs'],
  ['admin', 'Do what administrators do'],
] as const;

const tokensQuery = () =>
  queryOptions({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => call<readonly ApiToken[]>('/api/users/me/tokens', { signal }),
  });

export function TokenSettings() {
  const me = useMe();
  const client = useQueryClient();
  const toasts = useToasts();
  const query = useQuery(tokensQuery());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['read']));
  const renew = () => client.invalidateQueries({ queryKey: tokensQuery().queryKey });
  const create = useMutation({
    mutationFn: (wish: { name: string; scopes: string[]; expires_in_days: number | null }) =>
      call<{ token: string }>('/api/users/me/tokens', { method: 'POST', body: wish }),
    onSuccess: renew,
  });
  const revoke = useMutation({
    mutationFn: (token: ApiToken) => call<void>(`/api/users/me/tokens/${token.id}`, { method: 'DELETE' }),
    onSuccess: (_, token) => toasts.done(`Revoked ${token.name}.`),
    onError: (error) => toasts.failed(troubleOf(error).because),
    onSettled: renew,
  });
  const refused = create.error instanceof ApiError ? create.error : undefined;

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const days = Number(data.get('days'));
    create.mutate({
      name: String(data.get('name')),
      scopes: [...chosen],
      expires_in_days: days > 0 ? days : null,
    });
  }

  return (
    <div className="grid items-start grid-cols-1 gap-4 lg:grid-cols-[minmax(0,1fr)_400px]">
      <Card>
        <CardTitle>API tokens</CardTitle>
        <Loaded
          query={query}
          skeleton={<SkeletonRows rows={3} label="Loading your tokens" />}
          empty={{
            when: (tokens) => tokens.length === 0,
            show: (
              <EmptyState
                icon={<KeySquare aria-hidden="true" className="size-8" />}
                title="No token yet"
                body="Scripts and the command line use one: spur cloud login, or the header Authorization: Bearer."
              />
            ),
          }}
        >
          {(tokens) => (
            <ul className="divide-y divide-line">
              {tokens.map((token) => (
                <li key={token.id} className="flex items-center gap-4 px-4 py-3">
                  <div className="min-w-0 flex-1">
                    <p className="truncate font-medium">{token.name}</p>
                    <p className="text-ink-3 text-xs">
                      {token.scopes.join(', ')} ·{' '}
                      {token.used_at ? (
                        <>
                          used <RelativeTime at={token.used_at} />
                        </>
                      ) : (
                        'never used'
                      )}
                      {token.expires_at && (
                        <>
                          {' '}
                          · ends <RelativeTime at={token.expires_at} />
                        </>
                      )}
                    </p>
                  </div>
                  <IconButton name={`Revoke ${token.name}`} onClick={() => revoke.mutate(token)}>
                    <Trash2 aria-hidden="true" className="size-4" />
                  </IconButton>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      <Card>
        <CardTitle>New token</CardTitle>
        {create.data ? (
          <div className="flex flex-col gap-3 p-4">
            <p>Copy it now. It is not shown again.</p>
            <CommandLine text={create.data.token} />
            <Button className="self-start" onClick={() => create.reset()}>
              Done
            </Button>
          </div>
        ) : (
          <form onSubmit={submit} className="flex flex-col gap-4 p-4">
            <TextField
              label="What it is for"
              name="name"
              required
              maxLength={100}
              error={refused?.fields.name}
            />
            <SelectField label="Good for" name="days" defaultValue="90">
              <option value="7">a week</option>
              <option value="30">30 days</option>
              <option value="90">90 days</option>
              <option value="365">a year</option>
              <option value="0">as long as I want</option>
            </SelectField>
            <fieldset className="flex flex-col gap-2">
              <legend className="mb-1.5 font-medium">It may</legend>
              {scopes
                .filter(([scope]) => scope !== 'admin' || me.is_admin)
                .map(([scope, text]) => (
                  <CheckField
                    key={scope}
                    label={text}
                    checked={chosen.has(scope)}
                    onChange={(wanted) => {
                      const next = new Set(chosen);
                      if (wanted) next.add(scope);
                      else next.delete(scope);
                      setChosen(next);
                    }}
                  />
                ))}
            </fieldset>
            {refused && !refused.fields.name && (
              <p role="alert" className="text-failed">
                {refused.because}
              </p>
            )}
            <Button
              look="primary"
              type="submit"
              busy={create.isPending}
              because={chosen.size === 0 ? 'Choose what it may do.' : undefined}
              className="self-start"
            >
              Make it
            </Button>
          </form>
        )}
      </Card>
    </div>
  );
}
