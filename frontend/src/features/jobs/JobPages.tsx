import { Plus } from 'lucide-react';
import { useNavigate } from 'react-router';
import { useMe } from '~/features/auth/session';
import { Button } from '~/ui/Button';
import { EmptyState } from '~/ui/Feedback';
import { Page } from '~/ui/Page';
import { JobTable } from './JobTable';

function SubmitButton() {
  const navigate = useNavigate();
  return (
    <Button
      look="primary"
      icon={<Plus aria-hidden="true" className="size-4" />}
      onClick={() => navigate('/jobs/new')}
    >
      Submit a job
    </Button>
  );
}

/** Everybody's jobs, as far as one may see them. */
export function QueuePage() {
  return (
    <Page wide title="Queue" action={<SubmitButton />}>
      <JobTable />
    </Page>
  );
}

/** My jobs: of the account on the cluster that is mine. */
export function JobsPage() {
  const me = useMe();
  const name = me.linked_name ?? me.unix_name;
  return (
    <Page
      wide
      title="Jobs"
      hint={name ? `Yours, as ${name} on the cluster` : undefined}
      action={<SubmitButton />}
    >
      {name ? (
        <JobTable user={name} />
      ) : (
        <EmptyState
          title="You have no account on the cluster yet"
          body="You get one with your first session or job. If you had one before, link it in your settings."
          action={<SubmitButton />}
        />
      )}
    </Page>
  );
}
