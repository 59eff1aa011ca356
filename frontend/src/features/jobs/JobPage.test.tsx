import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { expect, test, vi } from 'vitest';
import { answer, serve, showPage } from '~/test/page';
import { JobPage } from './JobPage';

const job = {
  id: 7,
  array_id: null,
  array_task: null,
  array_waiting: '',
  name: 'train',
  user: 'ada',
  account: 'vision',
  partition: 'gpu',
  state: 'PENDING',
  states: ['PENDING'],
  reason: 'Resources',
  held: false,
  priority: 10,
  submitted_at: '2026-03-04T11:00:00Z',
  eligible_at: '2026-03-04T11:00:00Z',
  started_at: '2026-03-04T15:00:00Z',
  ends_at: '2026-03-04T16:00:00Z',
  time_limit: 60,
  nodes: '',
  node_count: 2,
  cpus: 16,
  tasks: 2,
  tres: { 'gres/gpu': 16 },
  tres_allocated: {},
  allocations: [],
  exit: { code: 0, signal: 0 },
  restarts: 0,
  batch: false,
  dependency: '',
  features: '',
  licenses: '',
  reservation: '',
  qos: '',
  comment: '',
  work_dir: '/home/ada',
  std_out: '/home/ada/o',
  std_err: '',
  submit_line: '',
};

const explanation = {
  state: 'PENDING',
  because: 'What it asks for is not free: 2 nodes with 8 GPUs each.',
  plan: [{ id: 7, place: 3, starts_at: '2026-03-04T15:00:00Z', nodes: 'n[1-2]' }],
  queued: 9,
  ahead: [],
  ahead_total: 0,
  in_the_way: [{ id: '5', user: 'bob', nodes: 1, until: '2026-03-04T15:00:00Z' }],
  in_the_way_total: 1,
  suggestions: [
    {
      text: 'on 1 node',
      update: ['NumNodes=1'],
      release: false,
      option: '',
      starts_at: '2026-03-04T12:00:00Z',
    },
  ],
};

function show(id: string) {
  showPage(
    <Routes>
      <Route path="/jobs/:id" element={<JobPage />} />
    </Routes>,
    { at: `/jobs/${id}` },
  );
}

test('a job that waits says why, who has the nodes, and what would start it sooner', async () => {
  serve({ '/api/v1/jobs/7': job, '/api/v1/jobs/7/explanation': explanation });

  show('7');

  expect(await screen.findByText(explanation.because)).toBeInTheDocument();
  expect(screen.getByText(/place 3 of 9 in the queue/)).toBeInTheDocument();
  expect(screen.getByRole('link', { name: '5' })).toHaveAttribute('href', '/jobs/5');
  expect(screen.getByText('on 1 node').closest('li')).toHaveTextContent('starts now');
});

test('a suggestion is followed only after it has shown what it changes', async () => {
  serve({ '/api/v1/jobs/7': job, '/api/v1/jobs/7/explanation': explanation });
  show('7');

  await userEvent.click(await screen.findByRole('button', { name: 'Change it' }));
  const dialog = await screen.findByRole('dialog');

  expect(within(dialog).getByText('scontrol update JobId=7 NumNodes=1')).toBeInTheDocument();
  expect(changes()).toEqual([]);

  await userEvent.click(within(dialog).getByRole('button', { name: 'Change it' }));

  expect(changes()).toEqual(['PATCH {"update":["NumNodes=1"]}']);
});

test('what the cluster has forgotten is shown as accounting remembers it', async () => {
  serve({
    '/api/v1/jobs/3': () => answer({ detail: 'there is no such job' }, 404),
    '/api/v1/jobs/3/steps': { steps: [] },
    '/api/v1/history/3': {
      records: [
        {
          ...job,
          id: 3,
          state: 'COMPLETED',
          ended_at: '2026-03-04T11:30:00Z',
          started_at: '2026-03-04T11:00:00Z',
          run_seconds: 1800,
          user_micros: 14_400_000_000,
          system_micros: 0,
          steps: [],
        },
      ],
    },
  });

  show('3');

  expect(await screen.findByRole('heading', { name: /train/ })).toBeInTheDocument();
  expect(await screen.findByText('8 of 16 busy on average')).toBeInTheDocument();
});

test('a number that nobody knows is said to be unknown', async () => {
  serve({
    '/api/v1/jobs/9': () => answer({ detail: 'there is no such job' }, 404),
    '/api/v1/history/9': { records: [] },
  });

  show('9');

  expect(await screen.findByText('There is no job 9')).toBeInTheDocument();
});

function changes(): string[] {
  return vi
    .mocked(fetch)
    .mock.calls.filter(([, options]) => options?.method && options.method !== 'GET')
    .map(([, options]) => `${options?.method} ${String(options?.body)}`);
}
