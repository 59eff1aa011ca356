import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ada, openBrowser, openWindow, phone, type State, signIn, violations } from './browser';
import { command } from './stack';

const dir = inject('dir');
const url = inject('url');
const cli = (line: string) => command(dir, line);

let browser: Browser;
let state: State;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  const window = await openWindow(browser);
  page = await window.newPage();
  await signIn(page, url, dir);
  state = await window.storageState();
  // Four nodes full of GPUs, somebody who waits for all of them, and somebody who is done.
  await cli(
    'for i in 1 2 3 4; do sbatch -Q --gpus=8 -t 60 -J train-$i --wrap "echo epoch 1; sleep 600"; done',
  );
  await cli('sbatch -Q -N4 --gpus-per-node=8 -t 120 -J all-of-it --wrap "sleep 60"');
  await cli('sbatch -Q -n1 -J short --wrap "echo hello from the job"');
  await cli('sbatch -Q --array=1-30%5 -J sweep --wrap "sleep 300"');
});

afterAll(() => browser?.close());

async function open(path: string): Promise<void> {
  await page.goto(url + path);
}

const number = (text: string | null) => Number((text ?? '').replace(/[^0-9]/g, ''));

describe('the cluster', () => {
  test('the queue shows as many jobs as squeue', async () => {
    await open('/queue');
    await page.getByRole('row', { name: /train-1/ }).waitFor();
    // Tasks of an array that wait are one line, as squeue has them.
    const listed = await cli('squeue -h -t R,PD,CG | wc -l');
    await expect
      .poll(async () => number(await page.getByText(/^\d+ jobs$/).textContent()))
      .toBe(Number(listed));
  });

  test('the overview counts GPUs as sinfo does', async () => {
    await open('/cluster');
    const used = await cli(
      `scontrol -o show nodes | grep -o 'AllocTRES=[^ ]*' | grep -o 'gres/gpu=[0-9]*' | cut -d= -f2 | paste -sd+ | bc`,
    );
    await page.getByText(`${used} of 32`, { exact: true }).waitFor();
  });

  test('a waiting job tells why, who has the nodes, and when it starts', async () => {
    const id = await cli('squeue -h -n all-of-it -o %i');
    await open(`/queue?state=PENDING`);
    await page.getByRole('row', { name: /all-of-it/ }).click();
    await page.getByRole('heading', { name: 'Why is it waiting?' }).waitFor();
    const because = (await cli(`spur why ${id} | sed -n 2,4p`)).split('\n');
    expect(because.join(' ')).not.toBe('');
    await page
      .getByText(/Expected to start/)
      .first()
      .waitFor();
    await page.getByText('On the nodes that it could use').waitFor();
  });

  test('a suggestion changes the job after it has said how', async () => {
    const id = await cli('squeue -h -n all-of-it -o %i');
    await open(`/jobs/${id}`);
    const suggestion = page.getByRole('listitem').filter({ hasText: 'on 1 node' });
    if ((await suggestion.count()) === 0) {
      // No smaller wish starts it sooner while all nodes are equally busy: that is an answer, too.
      await expect.poll(() => page.getByText('It would start sooner').count()).toBe(0);
      return;
    }
    await suggestion.getByRole('button', { name: 'Change it' }).click();
    await page.getByText(`scontrol update JobId=${id}`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Change it' }).click();
    await expect.poll(() => cli(`squeue -h -j ${id} -o %D`)).toBe('1');
  });

  test('the tasks of an array are counted by state', async () => {
    const id = await cli('squeue -h -n sweep -o %F | head -1');
    await open(`/jobs/${id}`);
    await page.getByRole('heading', { name: 'Tasks of the array' }).waitFor();
    const running = await cli('squeue -h -n sweep -t R -r | wc -l');
    await page.getByText(`Running ${running}`).waitFor();
    await page.getByText(`Pending ${30 - Number(running)}`).waitFor();
  });

  test('the timeline has a bar for each node of a running and a planned job', async () => {
    await open('/timeline');
    const table = page.getByRole('table', { name: 'Jobs and reservations that are shown' });
    await expect.poll(() => table.getByRole('row', { name: /train-\d .*running/ }).count()).toBe(4);
    await expect
      .poll(() => table.getByRole('row', { name: /all-of-it .*planned/ }).count())
      .toBeGreaterThan(0);
  });

  test('a node that was drained is seen with the reason, and takes jobs again', async () => {
    await open('/nodes/node4');
    await page.getByText('In use', { exact: true }).first().waitFor();
    await cli("scontrol update nodename=node4 state=drain reason='a fan is loud'");
    await page.getByText('Draining', { exact: true }).waitFor();
    await page.getByText('a fan is loud').waitFor();
    await cli('scontrol update nodename=node4 state=resume');
    await expect.poll(() => page.getByText('a fan is loud').count(), { timeout: 20_000 }).toBe(0);
  });

  test('who does not administer the cluster is told so, and drains nothing', async () => {
    await open('/nodes/node3');
    const drain = page.getByRole('button', { name: /^Drain/ });
    await expect.poll(() => drain.getAttribute('aria-disabled')).toBe('true');
    await drain.hover();
    await page
      .getByText(/does not administer it/)
      .first()
      .waitFor();
  });

  test('a job is submitted from a form and found by squeue', async () => {
    await open('/jobs/new');
    await page.getByLabel('Name', { exact: true }).fill('from-the-console');
    await page.getByLabel('What to run').fill('echo hello from the job');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { name: /from-the-console/ }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    expect(await cli(`squeue -h -t all -j ${id} -o %j`)).toBe('from-the-console');
  });
});

describe('by keys alone', () => {
  test('the palette goes to a page, and the queue opens a job', async () => {
    await open('/');
    await page.getByRole('heading', { name: /^Hello/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('queue');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /train-1/ }).waitFor();
    await page.getByRole('row', { name: /train-1/ }).focus();
    await page.keyboard.press('ArrowDown');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.textContent ?? ''))
      .toContain('train-2');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /train-2/ }).waitFor();
  });
});

describe('for everybody', () => {
  const pages = [
    '/',
    '/sessions',
    '/sessions/new',
    '/jobs',
    '/jobs/new',
    '/jobs/1',
    '/cluster',
    '/queue',
    '/timeline',
    '/nodes',
    '/nodes/node1',
    '/reservations',
    '/usage',
    '/settings',
    '/settings/keys',
    '/settings/tokens',
    '/settings/security',
    '/admin/people',
    '/admin/audit',
    '/admin/system',
  ];

  for (const theme of ['light', 'dark'] as const) {
    test(`no page hinders anybody (axe), ${theme}`, async () => {
      const window = await openWindow(browser, { theme, state });
      const looked = await window.newPage();
      const found: string[] = [];
      for (const path of pages) {
        await looked.goto(url + path);
        await looked.getByRole('heading', { level: 1 }).first().waitFor();
        await looked.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
        found.push(...(await violations(looked)).map((each) => `${path} ${each}`));
      }
      await window.close();
      expect(found).toEqual([]);
    }, 180_000);
  }

  test('no page is wider than a phone', async () => {
    const window = await openWindow(browser, { viewport: phone, state });
    const looked = await window.newPage();
    const wide: string[] = [];
    for (const path of pages) {
      await looked.goto(url + path);
      await looked.getByRole('heading', { level: 1 }).first().waitFor();
      await looked.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
      const width = await looked.evaluate(() => document.documentElement.scrollWidth);
      if (width > phone.width) wide.push(`${path}: ${width}`);
    }
    await window.close();
    expect(wide).toEqual([]);
  }, 120_000);

  test('nothing comes from elsewhere, and nothing is refused by the policy', async () => {
    const window = await openWindow(browser, { state });
    const looked = await window.newPage();
    const elsewhere: string[] = [];
    looked.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && origin !== url) elsewhere.push(request.url());
    });
    looked.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) elsewhere.push(message.text());
    });
    for (const path of ['/', '/cluster', '/timeline', '/usage']) {
      await looked.goto(url + path);
      await looked.getByRole('heading', { level: 1 }).first().waitFor();
    }
    await window.close();
    expect(elsewhere).toEqual([]);
  });

  test('whoever signs out sees nothing any more, and comes back to where he was', async () => {
    const window = await openWindow(browser, { state });
    const looked = await window.newPage();
    await looked.goto(`${url}/nodes`);
    await looked.getByRole('button', { name: /account/ }).click();
    await looked.getByRole('menuitem', { name: 'Sign out' }).click();
    await looked.getByLabel('Password', { exact: true }).fill(ada.password);
    await looked.getByLabel('E-mail', { exact: true }).fill(ada.email);
    await looked.getByRole('button', { name: 'Sign in' }).click();
    await looked.getByRole('heading', { name: 'Nodes' }).waitFor();
    await window.close();
  });
});
