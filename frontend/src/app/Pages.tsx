import { lazy, type ReactNode, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { LoginPage } from '~/features/auth/LoginPage';
import { RegisterPage, ResetPage, SetupPage } from '~/features/auth/RegisterPage';
import { useMe } from '~/features/auth/session';
import { HomePage } from '~/features/home/HomePage';
import { NewSessionPage } from '~/features/launch/NewSessionPage';
import { SessionsPage } from '~/features/sessions/SessionsPage';
import { EmptyState, Skeleton } from '~/ui/Feedback';
import { SignedIn, SignedOut } from './App';
import { Frame } from './Frame';

// Terminals, charts and maps are large, and nobody needs them before the first page stands.
const SessionDetailPage = lazy(() => import('~/features/sessions/SessionDetailPage'));
const JobsPage = lazy(() => import('~/features/jobs/JobPages').then((m) => ({ default: m.JobsPage })));
const QueuePage = lazy(() => import('~/features/jobs/JobPages').then((m) => ({ default: m.QueuePage })));
const JobPage = lazy(() => import('~/features/jobs/JobPage').then((m) => ({ default: m.JobPage })));
const SubmitPage = lazy(() => import('~/features/jobs/SubmitPage').then((m) => ({ default: m.SubmitPage })));
const OverviewPage = lazy(() =>
  import('~/features/cluster/OverviewPage').then((m) => ({ default: m.OverviewPage })),
);
const TimelinePage = lazy(() =>
  import('~/features/timeline/TimelinePage').then((m) => ({ default: m.TimelinePage })),
);
const NodesPage = lazy(() => import('~/features/nodes/NodesPage').then((m) => ({ default: m.NodesPage })));
const NodePage = lazy(() => import('~/features/nodes/NodePage').then((m) => ({ default: m.NodePage })));
const ReservationsPage = lazy(() =>
  import('~/features/reservations/ReservationsPage').then((m) => ({ default: m.ReservationsPage })),
);
const UsagePage = lazy(() => import('~/features/usage/UsagePage').then((m) => ({ default: m.UsagePage })));
const SettingsPage = lazy(() =>
  import('~/features/settings/SettingsPage').then((m) => ({ default: m.SettingsPage })),
);
const PeoplePage = lazy(() => import('~/features/admin/PeoplePage').then((m) => ({ default: m.PeoplePage })));
const PricesPage = lazy(() => import('~/features/admin/PricesPage').then((m) => ({ default: m.PricesPage })));
const AuditPage = lazy(() => import('~/features/admin/AuditPage').then((m) => ({ default: m.AuditPage })));
const SystemPage = lazy(() => import('~/features/admin/SystemPage').then((m) => ({ default: m.SystemPage })));

export function Pages() {
  return (
    <Routes>
      <Route
        path="/login"
        element={
          <SignedOut>
            <LoginPage />
          </SignedOut>
        }
      />
      <Route
        path="/register"
        element={
          <SignedOut>
            <RegisterPage />
          </SignedOut>
        }
      />
      <Route
        path="/setup"
        element={
          <SignedOut>
            <SetupPage />
          </SignedOut>
        }
      />
      <Route path="/reset" element={<ResetPage />} />
      <Route
        element={
          <SignedIn>
            <Frame />
          </SignedIn>
        }
      >
        <Route index element={<HomePage />} />
        <Route path="/sessions" element={<SessionsPage />} />
        <Route path="/sessions/new" element={<NewSessionPage />} />
        <Route
          path="/sessions/:id"
          element={
            <Later>
              <SessionDetailPage />
            </Later>
          }
        />
        <Route
          path="/sessions/:id/:tab"
          element={
            <Later>
              <SessionDetailPage />
            </Later>
          }
        />
        <Route
          path="/jobs"
          element={
            <Later>
              <JobsPage />
            </Later>
          }
        />
        <Route
          path="/jobs/new"
          element={
            <Later>
              <SubmitPage />
            </Later>
          }
        />
        <Route
          path="/jobs/:id"
          element={
            <Later>
              <JobPage />
            </Later>
          }
        />
        <Route
          path="/cluster"
          element={
            <Later>
              <OverviewPage />
            </Later>
          }
        />
        <Route
          path="/queue"
          element={
            <Later>
              <QueuePage />
            </Later>
          }
        />
        <Route
          path="/timeline"
          element={
            <Later>
              <TimelinePage />
            </Later>
          }
        />
        <Route
          path="/nodes"
          element={
            <Later>
              <NodesPage />
            </Later>
          }
        />
        <Route
          path="/nodes/:name"
          element={
            <Later>
              <NodePage />
            </Later>
          }
        />
        <Route
          path="/reservations"
          element={
            <Later>
              <ReservationsPage />
            </Later>
          }
        />
        <Route
          path="/usage"
          element={
            <Later>
              <UsagePage />
            </Later>
          }
        />
        <Route path="/billing" element={<Navigate to="/usage" replace />} />
        <Route
          path="/settings"
          element={
            <Later>
              <SettingsPage />
            </Later>
          }
        />
        <Route
          path="/settings/:tab"
          element={
            <Later>
              <SettingsPage />
            </Later>
          }
        />
        <Route
          path="/admin/people"
          element={
            <Admin>
              <PeoplePage />
            </Admin>
          }
        />
        <Route
          path="/admin/prices"
          element={
            <Admin>
              <PricesPage />
            </Admin>
          }
        />
        <Route
          path="/admin/audit"
          element={
            <Admin>
              <AuditPage />
            </Admin>
          }
        />
        <Route
          path="/admin/system"
          element={
            <Admin>
              <SystemPage />
            </Admin>
          }
        />
        <Route path="*" element={<NoSuchPage />} />
      </Route>
    </Routes>
  );
}

function Later({ children }: { children: ReactNode }) {
  return <Suspense fallback={<Skeleton className="m-8 h-96" />}>{children}</Suspense>;
}

/** The server checks, too; this only spares others a page of refusals. */
function Admin({ children }: { children: ReactNode }) {
  const me = useMe();
  return me.is_admin ? (
    <Later>{children}</Later>
  ) : (
    <EmptyState
      title="For administrators"
      body="Your account is not one of them. Ask one if you need something here."
    />
  );
}

function NoSuchPage() {
  return (
    <EmptyState
      title="There is no such page"
      body="The address may be mistyped, or what it showed is gone."
    />
  );
}
