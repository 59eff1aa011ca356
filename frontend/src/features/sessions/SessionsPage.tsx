import { useQuery } from '@tanstack/react-query';
import { Plus, SquareTerminal } from 'lucide-react';
import { Link } from 'react-router';
import { Loaded } from '~/api/Loaded';
import { active, sessionsQuery } from '~/api/sessions';
import { Button } from '~/ui/Button';
import { Card } from '~/ui/Card';
import { EmptyState, SkeletonRows } from '~/ui/Feedback';
import { Page } from '~/ui/Page';
import { SessionTable } from './SessionTable';

function LaunchButton() {
  return (
    <Button look="primary" asChild>
      <Link to="/sessions/new">
        <Plus aria-hidden="true" className="size-4" />
        Launch a GPU
      </Link>
    </Button>
  );
}

export function SessionsPage() {
  const query = useQuery(sessionsQuery());
  return (
    <Page title="Sessions" action={<LaunchButton />}>
      <Loaded
        query={query}
        skeleton={
          <Card>
            <SkeletonRows rows={5} label="Loading your sessions" />
          </Card>
        }
        empty={{
          when: (sessions) => sessions.length === 0,
          show: (
            <Card>
              <EmptyState
                icon={<SquareTerminal aria-hidden="true" className="size-8" />}
                title="No sessions yet"
                body="A session is a shell on a machine with GPUs, in the browser and by SSH."
                action={<LaunchButton />}
              />
            </Card>
          ),
        }}
      >
        {(sessions) => {
          const now = sessions.filter((session) => active.has(session.state));
          const before = sessions.filter((session) => !active.has(session.state));
          return (
            <>
              {now.length > 0 && <SessionTable sessions={now} />}
              {before.length > 0 && (
                <section aria-labelledby="ended" className="flex flex-col gap-3">
                  <h2 id="ended" className="font-semibold">
                    Ended
                  </h2>
                  <SessionTable sessions={before} />
                </section>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
