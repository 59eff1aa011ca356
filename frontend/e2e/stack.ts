import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const run = promisify(execFile);
const source = fileURLToPath(new URL('../..', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the console is. */
    url: string;
    /** Directory of the cluster, for the commands. */
    dir: string;
  }
}

/** The real stack, four nodes of eight pretended GPUs, once for all specifications; SPUR_DIR: one that runs and is new. */
export default async function start(project: TestProject) {
  if (!existsSync('/usr/bin/chromium')) await installBrowser();
  const running = process.env.SPUR_DIR;
  const dir = running ?? mkdtempSync(join(tmpdir(), 'spur-console-'));
  if (!running) await up(dir);
  writeFileSync(join(dir, 'shell.env'), (await run(join(source, 'spur'), ['env', '--dir', dir])).stdout);
  project.provide('url', await command(dir, 'echo $SPUR_CLOUD_URL'));
  project.provide('dir', dir);
  return async () => {
    if (running) return;
    await run(join(source, 'spur'), ['down', '--dir', dir], { timeout: 60_000 }).catch(() => {});
    rmSync(dir, { recursive: true, force: true });
  };
}

async function up(dir: string) {
  const base = await freePorts();
  const environment = { ...process.env, SPUR_NO_AOT: process.env.SPUR_NO_AOT ?? '1' };
  await run(join(source, 'spur'), ['up', '--detach', '--dir', dir, '--port-base', String(base)], {
    env: environment,
    maxBuffer: 1 << 24,
    timeout: 600_000,
  });
}

/** Debian's, where one may install it; otherwise one line says what is missing. */
async function installBrowser() {
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const done = spawnSync('apt-get', ['install', '-y', '-qq', 'chromium'], { stdio: 'inherit' });
    if (done.status === 0) return;
  }
  throw new Error('the end-to-end specifications need Chromium (Debian: apt install chromium)');
}

/** A hundred ports that nobody has, as far as one can see. */
async function freePorts(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const base = 20_000 + 200 * Math.floor(Math.random() * 60);
    const needed = [0, 2, 3, 4, 20, 101, 104].map((port) => base + port);
    if ((await Promise.all(needed.map(isFree))).every(Boolean)) return base;
  }
  throw new Error('there are no ports to be had');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const server = createServer()
      .once('error', () => answer(false))
      .once('listening', () => server.close(() => answer(true)))
      .listen(port, '127.0.0.1');
  });
}

/** By which the first administrator comes in; printed anew. */
export async function administratorLink(dir: string): Promise<string> {
  const printed = await command(dir, 'spur cloud admin-link');
  const link = /https?:\/\/\S+\/setup\?code=\S+/.exec(printed)?.[0];
  if (!link) throw new Error(`there is no link for the first administrator: ${printed}`);
  return link;
}

/** A command of the cluster, as somebody types it on a login node. */
export async function command(dir: string, line: string): Promise<string> {
  const environment = readFileSync(join(dir, 'shell.env'), 'utf8');
  const { stdout } = await run('bash', ['-c', `${environment}\n${line}`], { cwd: '/tmp' });
  return stdout.trim();
}
