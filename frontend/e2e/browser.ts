import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { administratorLink } from './stack';

/** Debian's Chromium, which asks nobody for anything by itself. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export const desk = { width: 1280, height: 800 };
export const phone = { width: 390, height: 844 };

export type Theme = 'light' | 'dark';

/** A window of somebody who sets the clock to Berlin's, so that times look the same everywhere. */
export function openWindow(
  browser: Browser,
  { viewport = desk, theme = 'light', state }: { viewport?: typeof desk; theme?: Theme; state?: State } = {},
): Promise<BrowserContext> {
  return browser.newContext({
    viewport,
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    ...(state ? { storageState: state } : {}),
  });
}

export type State = Awaited<ReturnType<BrowserContext['storageState']>>;

export const ada = { email: 'ada@example.org', name: 'ada', password: 'correct horse battery staple' };

/** What the link of the first start is for. */
export async function becomeAdministrator(page: Page, setup: string): Promise<void> {
  await page.goto(setup);
  await page.getByLabel('E-mail', { exact: true }).fill(ada.email);
  await page.getByLabel('Name', { exact: true }).fill(ada.name);
  await page.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByRole('heading', { name: /^Hello/ }).waitFor();
}

/** The administrator, made if there is none. */
export async function signIn(page: Page, url: string, dir: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.getByLabel('E-mail', { exact: true }).fill(ada.email);
  await page.getByLabel('Password', { exact: true }).fill(ada.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const hello = page.getByRole('heading', { name: /^Hello/ });
  const isIn = await Promise.race([
    hello.waitFor().then(() => true),
    page
      .getByRole('alert')
      .waitFor()
      .then(() => false),
  ]);
  if (!isIn) await becomeAdministrator(page, await administratorLink(dir));
}

const axe = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** What hinders people who cannot see, hear or point as most do; nothing, it is hoped. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = (await page.evaluate(
    '(async () => (await axe.run(document, { resultTypes: ["violations"] })).violations)()',
  )) as Violation[];
  return found.flatMap((each) =>
    each.nodes.map(
      (node) => `${each.id}: ${each.help}\n  ${node.html.slice(0, 200)}\n  ${node.failureSummary}`,
    ),
  );
}

/** What the page complained about while `action` ran, beside answers that refuse. */
export async function complaints(page: Page, action: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const failed = (error: Error) => heard.push(error.message);
  page.on('pageerror', failed);
  await action();
  page.off('pageerror', failed);
  return heard;
}
