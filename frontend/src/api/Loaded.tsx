import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice, StaleLine } from '~/ui/Feedback';
import { ApiError, troubleOf } from './client';

/**
 * The states of a view: first load, failure without data, failure over data that is now old, empty, rows.
 * Data that has been on the screen is never taken away by a failure.
 */
export function Loaded<T>({
  query,
  skeleton,
  empty,
  children,
}: {
  query: UseQueryResult<T>;
  skeleton: ReactNode;
  empty?: { when: (data: T) => boolean; show: ReactNode };
  children: (data: T) => ReactNode;
}) {
  const { data, error, dataUpdatedAt } = query;
  if (data === undefined) {
    return error ? <ErrorNotice trouble={troubleOf(error)} onRetry={() => query.refetch()} /> : skeleton;
  }
  return (
    <>
      {error && (
        <StaleLine
          since={dataUpdatedAt}
          why={
            error instanceof ApiError && error.unreachable
              ? 'The server does not answer.'
              : troubleOf(error).because
          }
        />
      )}
      {empty?.when(data) ? empty.show : children(data)}
    </>
  );
}
