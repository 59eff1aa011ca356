// Every page in both themes and as on a phone, of a cluster that `dev/busy` filled:
//   SPUR_DIR=/tmp/spur-busy npm run shots     writes docs/console/*.png; SHOTS=home,usage: only these
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { desk, openBrowser, openWindow, phone, type State, signIn } from './browser';

const dir = process.env.SPUR_DIR ?? '/tmp/spur-busy';
const to = fileURLToPath(new URL('../../docs/console/', import.meta.url));

writeFileSync(
  join(dir, 'shell.env'),
  execFileSync(fileURLToPath(new URL('../../spur', import.meta.url)), ['env', '--dir', dir]),
);
const url =
  /SPUR_CLOUD_URL="?([^"\s]+)/.exec(readFileSync(join(dir, 'shell.env'), 'utf8'))?.[1] ??
  'http://localhost:8080';

let browser: Browser;

type Shot = readonly [name: string, path: string, onPhone?: boolean];

function pagesWith(session: string | undefined): readonly Shot[] {
  return [
    ['home', '/', true],
    ['launch', '/sessions/new', true],
    ['sessions', '/sessions'],
    ...(session
      ? ([
          ['session', `/sessions/${session}`, true],
          ['session-metrics', `/sessions/${session}/metrics`],
          ['session-events', `/sessions/${session}/events`],
        ] as const)
      : []),
    ['overview', '/cluster', true],
    ['queue', '/queue', true],
    ['job-waiting', '/jobs/176', true],
    ['job-running', '/jobs/1'],
    ['job-array', '/jobs/47', true],
    ['submit', '/jobs/new'],
    ['timeline', '/timeline', true],
    ['nodes', '/nodes', true],
    ['node', '/nodes/gpu014', true],
    ['reservations', '/reservations'],
    ['usage', '/usage', true],
    ['settings', '/settings'],
    ['keys', '/settings/keys'],
    ['tokens', '/settings/tokens'],
    ['security', '/settings/security'],
    ['people', '/admin/people'],
    ['prices', '/admin/prices'],
    ['audit', '/admin/audit'],
    ['system', '/admin/system'],
  ];
}

test('every page is as it is on these pictures', async () => {
  browser = await openBrowser();
  const state = await signedIn();
  const wanted = process.env.SHOTS?.split(',');
  const pages = pagesWith(await aSession(state)).filter(([name]) => wanted?.includes(name) ?? true);
  mkdirSync(to, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    await shoot(theme, desk, state, pages, '');
  }
  await shoot(
    'light',
    phone,
    state,
    pages.filter(([, , onPhone]) => onPhone),
    '-phone',
  );
  await shoot('light', desk, undefined, [['sign-in', '/login']], '');
  await browser.close();
  expect(pages.length).toBeGreaterThan(0);
}, 600_000);

async function shoot(
  theme: 'light' | 'dark',
  viewport: typeof desk,
  as: State | undefined,
  all: readonly Shot[],
  suffix: string,
) {
  const window = await openWindow(browser, { theme, viewport, ...(as ? { state: as } : {}) });
  for (const [name, path] of all) {
    const page = await window.newPage();
    await page.goto(url + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForTimeout(path.startsWith('/sessions/') ? 4500 : 2500);
    await page.screenshot({ path: join(to, `${name}-${theme}${suffix}.png`) });
    await page.close();
  }
  await window.close();
}

async function signedIn(): Promise<State> {
  const window = await openWindow(browser);
  const page = await window.newPage();
  await signIn(page, url, dir);
  const known = await window.storageState();
  await window.close();
  return known;
}

/** One that runs, launched if there is none. */
async function aSession(as: State): Promise<string | undefined> {
  const window = await openWindow(browser, { state: as });
  const page = await window.newPage();
  await page.goto(`${url}/sessions`);
  const known = (await page.evaluate(
    "fetch('/api/sessions?state=running').then((answer) => answer.json())",
  )) as { id: string }[];
  let id = known[0]?.id;
  if (!id) {
    await page.goto(`${url}/sessions/new?gpu=none&count=0`);
    await page.getByRole('button', { name: /^(Launch|Queue it)$/ }).click();
    await page.waitForURL(/\/sessions\/[0-9a-f-]{36}/, { timeout: 10_000 }).catch(() => {});
    await page
      .getByTestId('terminal')
      .waitFor({ timeout: 20_000 })
      .catch(() => {});
    id = /sessions\/([0-9a-f-]{36})/.exec(page.url())?.[1];
    if (id && (await page.getByTestId('terminal').count()) > 0) {
      await page.waitForTimeout(2500);
      await page.keyboard.type('nproc; id -un; python3 --version; uptime\n');
      await page.waitForTimeout(1000);
    }
  }
  await window.close();
  return id;
}
