import type { GpuPool, LaunchWish } from '~/api/sessions';

const usual = [1, 2, 4, 8, 16] as const;

/** The most GPUs that one node has, whether they are free or not. */
export function biggestNode(pool: GpuPool): number {
  return Math.max(0, ...pool.nodes.map((node) => node.total_gpus));
}

/** Of what there is the most free now. */
export function freest(pools: readonly GpuPool[]): GpuPool | undefined {
  return [...pools].sort((a, b) => b.available - a.available)[0];
}

/** What can be had at all; the rest is shown with the reason why not. */
export function countChoices(pool: GpuPool): { count: number; because?: string | undefined }[] {
  const biggest = biggestNode(pool);
  const offered = usual.filter((count) => count <= 8 || count <= biggest);
  return offered.map((count) =>
    count <= biggest
      ? { count }
      : { count, because: `No node has more than ${biggest} of ${pool.gpu_type.toUpperCase()}.` },
  );
}

/** The same launch as a command. */
export function launchLine(wish: LaunchWish): string {
  const words = [`spur cloud launch --name=${quoted(wish.name)}`];
  if (wish.gpu_count > 0) words.push(`--gpu=${wish.gpu_type}:${wish.gpu_count}`);
  if (wish.cpus !== undefined) words.push(`--cpus=${wish.cpus}`);
  if (wish.template) words.push(`--template=${quoted(wish.template)}`);
  words.push(`--time=${wish.time_limit_min}`);
  if (!wish.ssh_enabled) words.push('--no-ssh');
  return words.join(' ');
}

function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
