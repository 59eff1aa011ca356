import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { Component, type ReactNode, useEffect } from 'react';
import { BrowserRouter, Navigate, useLocation } from 'react-router';
import { ApiError, onSignedOut, troubleOf } from '~/api/client';
import { Entrance } from '~/features/auth/Entrance';
import { MeProvider, meQuery } from '~/features/auth/session';
import { ErrorNotice } from '~/ui/Feedback';
import { Spinner } from '~/ui/Spinner';
import { Clock } from '~/ui/Time';
import { Toasts } from '~/ui/Toasts';
import { Tooltips } from '~/ui/Tooltip';
import { Pages } from './Pages';

export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // What the server refuses it refuses again; what did not reach it is worth another try.
        retry: (failures, error) => failures < 2 && !(error instanceof ApiError && !error.unreachable),
        staleTime: 5_000,
      },
    },
  });
}

const client = newQueryClient();

export function App() {
  return (
    <QueryClientProvider client={client}>
      <Clock>
        <Tooltips>
          <Toasts>
            <BrowserRouter>
              <Boundary>
                <Pages />
              </Boundary>
            </BrowserRouter>
          </Toasts>
        </Tooltips>
      </Clock>
    </QueryClientProvider>
  );
}

/** What is behind the sign-in. Whoever comes back after signing in is where he wanted to be. */
export function SignedIn({ children }: { children: ReactNode }) {
  const me = useQuery(meQuery());
  const location = useLocation();
  const queries = useQueryClient();
  useEffect(() => onSignedOut(() => queries.setQueryData(meQuery().queryKey, null)), [queries]);

  if (me.data) return <MeProvider value={me.data}>{children}</MeProvider>;
  if (me.data === null) {
    return <Navigate to="/login" replace state={{ from: location.pathname + location.search }} />;
  }
  if (me.error) {
    return (
      <Entrance title="Spur Cloud">
        <ErrorNotice trouble={troubleOf(me.error)} onRetry={() => me.refetch()} />
      </Entrance>
    );
  }
  return (
    <main className="flex min-h-dvh items-center justify-center">
      <Spinner label="Loading" />
    </main>
  );
}

/** Pages for those who are not in; whoever is goes on to where he was. */
export function SignedOut({ children }: { children: ReactNode }) {
  const me = useQuery(meQuery());
  const location = useLocation();
  const from = (location.state as { from?: string } | null)?.from ?? '/';
  return me.data ? <Navigate to={from} replace /> : children;
}

/** A page that fails to render says so in words instead of leaving an empty window. */
class Boundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Entrance title="This page has a fault">
        <ErrorNotice
          trouble={{
            title: 'It could not be shown',
            because: error.message,
            remedy: 'Load it again; nothing was lost.',
          }}
          onRetry={() => location.reload()}
        />
      </Entrance>
    );
  }
}
