import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiError, call } from '~/api/client';

/** Who is signed in. */
export interface Me {
  id: string;
  email: string;
  username: string;
  display_name: string | null;
  is_admin: boolean;
  max_gpus: number | null;
  has_password: boolean;
  has_second_factor: boolean;
  providers: readonly string[];
  unix_name: string | null;
  linked_name: string | null;
  created_at: string;
}

export interface Provider {
  name: string;
  enabled: boolean;
  authorize_url: string;
  display_name: string;
}

export interface Providers {
  providers: readonly Provider[];
  registration: 'closed' | 'invite' | 'open';
  /** Nobody has used the link of the first administrator yet. */
  needs_setup: boolean;
}

/** Null: nobody is signed in, which is an answer and not a failure. */
export const meQuery = () =>
  queryOptions({
    queryKey: ['me'],
    queryFn: async ({ signal }): Promise<Me | null> => {
      try {
        return await call<Me>('/api/users/me', { signal });
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });

export const providersQuery = () =>
  queryOptions({
    queryKey: ['providers'],
    queryFn: ({ signal }) => call<Providers>('/api/auth/providers', { signal, anonymous: true }),
  });

const MeContext = createContext<Me | undefined>(undefined);
export const MeProvider = MeContext.Provider;

export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe is for pages behind the sign-in');
  return me;
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call<void>('/api/auth/logout', { method: 'POST', body: {} }),
    onSettled: () => {
      // Whoever watches who is signed in must hear of it: only the rest is forgotten.
      client.setQueryData(meQuery().queryKey, null);
      client.removeQueries({ predicate: (query) => query.queryKey[0] !== 'me' });
    },
  });
}
