import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { call } from '~/api/client';
import { Loaded } from '~/api/Loaded';
import { Button } from '~/ui/Button';
import { Card } from '~/ui/Card';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { Page } from '~/ui/Page';
import { RelativeTime } from '~/ui/Time';

interface Line {
  id: number;
  at: string;
  actor: string;
  action: string;
  target: string;
  details: string;
  address: string;
  request_id: string;
}

const auditQuery = () =>
  infiniteQueryOptions({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      call<{ lines: readonly Line[]; next: number | null }>('/api/admin/audit', {
        query: { before: pageParam },
        signal,
      }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
  });

const verbs: Readonly<Record<string, string>> = {
  'auth.login': 'signed in',
  'auth.logout': 'signed out',
  'auth.refused': 'could not sign in',
  'auth.password': 'changed the password of',
  'auth.reset': 'set a new password by a link',
  'auth.end_login': 'ended the sign-in',
  'auth.refresh_reuse': 'used a sign-in twice, which ended it:',
  'auth.second_factor_on': 'turned the second factor on',
  'auth.second_factor_off': 'turned the second factor off',
  'user.first_admin': 'became the first administrator',
  'user.register': 'made an account',
  'user.admin': 'changed the role of',
  'user.active': 'enabled or disabled',
  'user.quota': 'changed the quota of',
  'user.invite': 'invited',
  'user.reset_link': 'made a link to a new password for',
  'user.end_logins': 'signed out everywhere',
  'user.link': 'linked the account',
  'user.unlink': 'unlinked the account',
  'ssh_key.add': 'added the SSH key',
  'ssh_key.delete': 'deleted the SSH key',
  'api_token.create': 'made the API token',
  'api_token.revoke': 'revoked the API token',
  'session.launch': 'launched the session',
  'session.stop': 'stopped the session',
  'session.extend': 'extended the session',
  'session.restart': 'started again the session',
  'session.delete': 'deleted the session',
  'project.create': 'made the project',
  'project.close': 'closed the project',
  'project.member': 'changed who is in the project',
  'project.quota': 'changed the quota of the project',
  'price.set': 'set the price of',
  'price.remove': 'took back the price of',
  'budget.set': 'set the budget of',
  'budget.remove': 'took away the budget of',
  'budget.alert': 'was told of the budget of',
};

/** Of an id its beginning; of oneself nothing. */
function targetWords(line: { actor: string; target: string }): string {
  if (line.target === line.actor) return '';
  return line.target.replace(/\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f-]{22}\b/g, '$1');
}

/** A sentence for each thing that was done. */
export function AuditPage() {
  const query = useInfiniteQuery(auditQuery());
  const lines = query.data?.pages.flatMap((page) => page.lines) ?? [];
  return (
    <Page title="Audit" hint="What was done here, by whom, from where.">
      <Loaded
        query={query}
        skeleton={
          <Card>
            <SkeletonRows rows={10} label="Loading" />
          </Card>
        }
        empty={{ when: () => lines.length === 0, show: <EmptyState title="Nothing was done yet" /> }}
      >
        {() => (
          <Card>
            <ol className="divide-y divide-line">
              {lines.map((line) => (
                <li key={line.id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5">
                  <p className="min-w-0 flex-1 break-words">
                    <span className="font-medium">{line.actor}</span> {verbs[line.action] ?? line.action}{' '}
                    <span className="font-medium">{targetWords(line)}</span>
                    {line.details && <span className="text-ink-2">: {line.details}</span>}
                  </p>
                  <span className="font-mono text-ink-3 text-xs" title={`request ${line.request_id}`}>
                    {line.address}
                  </span>
                  <span className="w-28 text-right text-ink-3 text-xs">
                    <RelativeTime at={line.at} />
                  </span>
                </li>
              ))}
            </ol>
            {query.hasNextPage && (
              <div className="border-line border-t p-3 text-center">
                <Button size="small" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                  Older
                </Button>
              </div>
            )}
          </Card>
        )}
      </Loaded>
    </Page>
  );
}
