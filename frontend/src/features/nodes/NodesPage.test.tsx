import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { serve, showPage } from '~/test/page';
import { NodesPage } from './NodesPage';

const node = {
  name: 'gpu001',
  state: 'IDLE+DRAIN',
  states: ['IDLE', 'DRAIN'],
  reason: 'fan',
  reason_at: '2026-03-04T10:00:00Z',
  partitions: ['gpu'],
  features: [],
  cpus: 64,
  cpus_allocated: 3,
  memory_mb: 1024,
  memory_allocated_mb: 0,
  tres: { 'gres/gpu': 8 },
  tres_allocated: { 'gres/gpu': 5 },
};

test('a drained node is seen as such, with its reason and since when', async () => {
  serve({ '/api/v1/nodes': { nodes: [node], next: null, total: 1 } });

  showPage(<NodesPage />);

  const row = await screen.findByRole('row', { name: /gpu001/ });
  expect(row).toHaveTextContent('Drained');
  expect(row).toHaveTextContent('5 / 8');
  expect(row).toHaveTextContent('fan (2 hours ago)');
});

test('a filter that nothing fits says so and does not say that there are no nodes', async () => {
  serve({ '/api/v1/nodes': { nodes: [node], next: null, total: 1 } });

  showPage(<NodesPage />, { at: '/nodes?text=cpu' });

  expect(await screen.findByText('No node fits')).toBeVisible();
});

test('a cluster without nodes says where they come from', async () => {
  serve({ '/api/v1/nodes': { nodes: [], next: null, total: 0 } });

  showPage(<NodesPage />);

  expect(await screen.findByText('This cluster has no nodes yet')).toBeVisible();
});
