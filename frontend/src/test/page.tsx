import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { vi } from 'vitest';
import { type Me, MeProvider } from '~/features/auth/session';
import { Clock } from '~/ui/Time';
import { Toasts } from '~/ui/Toasts';
import { Tooltips } from '~/ui/Tooltip';

export const noon = Date.parse('2026-03-04T12:00:00Z');

export const me: Me = {
  id: 'm',
  email: 'ada@example.com',
  username: 'ada',
  display_name: 'Ada',
  is_admin: false,
  max_gpus: null,
  has_password: true,
  has_second_factor: false,
  providers: [],
  unix_name: 'ada',
  linked_name: null,
  created_at: '2026-01-01T00:00:00Z',
};

/** What the API answers to a path; a function is asked each time. Anything else is not there. */
export type Answers = Record<string, unknown | (() => Response)>;

export function answer(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
}

export function serve(answers: Answers): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const path = String(input).split('?')[0] ?? '';
    if (!(path in answers)) return Promise.resolve(answer({ detail: `no ${path} here` }, 404));
    const known = answers[path];
    return Promise.resolve(typeof known === 'function' ? (known as () => Response)() : answer(known));
  });
}

/** A page as it is in the console, at noon of a fixed day, asked for by somebody who is signed in. */
export function showPage(page: ReactNode, { at = '/', as = me }: { at?: string; as?: Me } = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 0 } } });
  render(
    <QueryClientProvider client={client}>
      <Clock fixed={noon}>
        <Tooltips>
          <Toasts>
            <MemoryRouter initialEntries={[at]}>
              <MeProvider value={as}>{page}</MeProvider>
            </MemoryRouter>
          </Toasts>
        </Tooltips>
      </Clock>
    </QueryClientProvider>,
  );
  return client;
}
