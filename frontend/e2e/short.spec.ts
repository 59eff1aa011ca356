import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { becomeAdministrator, openBrowser, openWindow, violations } from './browser';
import { administratorLink, command } from './stack';

// One person's first five minutes, in order: what one step makes the next one uses.
const dir = inject('dir');
const url = inject('url');
const cli = (line: string) => command(dir, line);

let browser: Browser;
let window: BrowserContext;
let page: Page;
let session: string;

beforeAll(async () => {
  browser = await openBrowser();
  window = await openWindow(browser);
  page = await window.newPage();
});

afterAll(() => browser?.close());

/** What the terminal shows: its rows are painted, so they are asked of the library. */
async function screen(): Promise<string> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.xterm-rows > div')].map((row) => row.textContent ?? '').join('\n'),
  );
}

async function type(text: string): Promise<void> {
  await page.getByTestId('terminal').click();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

test('the link of the first start makes the administrator', async () => {
  await becomeAdministrator(page, await administratorLink(dir));
  await page.getByRole('button', { name: /^1 × MI300X$/ }).waitFor();
});

test('a GPU is launched with two clicks, and starts', async () => {
  await page.getByRole('button', { name: /^1 × MI300X$/ }).click();
  await page.getByText('Starts now').waitFor();
  await page.getByRole('button', { name: 'Launch', exact: true }).click();
  await page.waitForURL(/\/sessions\/[0-9a-f-]{36}/);
  session = /sessions\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
  await page.getByText('Running', { exact: true }).first().waitFor({ timeout: 30_000 });
  const job = await cli('squeue -h -t R -o %i');
  await page.getByRole('tab', { name: 'About' }).click();
  await page.getByRole('link', { name: job, exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Terminal' }).click();
});

test('what is typed in the terminal runs beside its GPU', async () => {
  await page.getByText('Connected').waitFor({ timeout: 30_000 });
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is for the shell
  await type('echo devices=${ROCR_VISIBLE_DEVICES:-$CUDA_VISIBLE_DEVICES}. $((6 * 7))');
  await expect.poll(screen).toMatch(/devices=\d\. 42/);
});

test('a window of another size is a terminal of another size', async () => {
  await page.setViewportSize({ width: 900, height: 700 });
  await expect
    .poll(async () => {
      await type('clear; stty size');
      return /(\d+) (\d+)/
        .exec(await screen())
        ?.slice(1)
        .map(Number)[1];
    })
    .toBeLessThan(100);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('whoever loads the page again is in the same shell, with what it showed', async () => {
  await type('clear; MARK=kept-$RANDOM; echo mark $MARK 漢字 🙂');
  await expect.poll(screen).toMatch(/mark kept-\d+ 漢/);
  const mark = /mark (kept-\d+)/.exec(await screen())?.[1] ?? '';
  await page.reload();
  await page.getByText('Connected').waitFor();
  await expect.poll(screen).toContain(mark);
  await type('clear; echo again $MARK');
  await expect.poll(screen).toContain(`again ${mark}`);
});

test('the page of a running session hinders nobody', async () => {
  expect(await violations(page)).toEqual([]);
});

test('who stops it sees that it has ended, and its job is gone from the queue', async () => {
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop it' }).click();
  // Shells ignore the polite signal: the cluster waits for half a minute before it insists.
  await page.getByText('It was stopped.').waitFor({ timeout: 50_000 });
  expect(await cli('squeue -h')).toBe('');
});

test('its time is on the bill, to the second of accounting', async () => {
  await page.goto(`${url}/usage`);
  await expect
    .poll(
      async () => {
        const rows = (await page.evaluate("fetch('/api/billing/usage').then((answer) => answer.json())")) as {
          session_id: string;
          gpu_seconds: number;
        }[];
        return rows
          .filter((row) => row.session_id === session)
          .reduce((sum, row) => sum + row.gpu_seconds, 0);
      },
      { timeout: 20_000 },
    )
    .toBe(Number(await cli('sacct -nXP -o ElapsedRaw | paste -sd+ | bc')));
  await page.reload();
  await page.getByRole('row', { name: /mi300x-session/ }).waitFor();
});
