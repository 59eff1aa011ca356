import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { sessionsQuery } from '~/api/sessions';
import { answer, serve, showPage } from '~/test/page';
import { SessionsPage } from './SessionsPage';

const running = {
  id: '1',
  name: 'train',
  state: 'running',
  gpu_type: 'mi300x',
  gpu_count: 2,
  container_image: '',
  ssh_enabled: true,
  ssh_host: null,
  ssh_port: null,
  spur_job_id: 7,
  time_limit_min: 240,
  created_at: '2026-03-04T11:00:00Z',
  started_at: '2026-03-04T11:00:00Z',
  ended_at: null,
  node_name: 'n1',
  error_message: null,
};

test('before the first answer there is the shape of a table, and it says that it loads', () => {
  serve({ '/api/sessions': () => new Promise(() => {}) as unknown as Response });

  showPage(<SessionsPage />);

  expect(screen.getByRole('status', { name: 'Loading your sessions' })).toBeVisible();
});

test('no session yet teaches the one thing to do', async () => {
  serve({ '/api/sessions': [] });

  showPage(<SessionsPage />);

  expect(await screen.findByText('No sessions yet')).toBeVisible();
  expect(screen.getAllByRole('link', { name: 'Launch a GPU' })[0]).toHaveAttribute('href', '/sessions/new');
});

test('rows say what runs where and for how long, ended ones below', async () => {
  serve({
    '/api/sessions': [
      running,
      { ...running, id: '2', name: 'old', state: 'failed', ended_at: '2026-03-04T11:10:00Z' },
    ],
  });

  showPage(<SessionsPage />);

  const row = await screen.findByRole('row', { name: /train/ });
  expect(row).toHaveTextContent('Running');
  expect(row).toHaveTextContent('2 × MI300X');
  expect(row).toHaveTextContent('n1');
  expect(row).toHaveTextContent('1 h');
  expect(screen.getByRole('heading', { name: 'Ended' })).toBeVisible();
});

test('a failure without data says what, why and what to do, with the id of the request', async () => {
  serve({
    '/api/sessions': () =>
      answer(
        {
          title: 'Not available',
          detail: 'The database does not answer.',
          remedy: 'Try again soon.',
          request_id: 'r-1',
        },
        500,
      ),
  });

  showPage(<SessionsPage />);

  const notice = await screen.findByRole('alert');
  expect(notice).toHaveTextContent('The database does not answer.');
  expect(notice).toHaveTextContent('Try again soon.');
  expect(notice).toHaveTextContent('r-1');
});

test('a failure over data keeps the data and says how old it is', async () => {
  let fails = false;
  serve({ '/api/sessions': () => (fails ? answer({ detail: 'away' }, 503) : answer([running])) });
  const client = showPage(<SessionsPage />);
  await screen.findByRole('row', { name: /train/ });

  fails = true;
  await act(() => client.refetchQueries({ queryKey: sessionsQuery().queryKey }));

  expect(screen.getByRole('row', { name: /train/ })).toBeVisible();
  expect(await screen.findByRole('status')).toHaveTextContent(
    'The server does not answer. Shown is what was known',
  );
});
