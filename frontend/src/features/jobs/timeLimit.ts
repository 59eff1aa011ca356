/** As sbatch takes it: `90`, `90:30`, `2:00:00`, `1-12`, `1-12:30`, `1-12:30:00`. Whole minutes; undefined: not a time. */
export function minutesOf(text: string): number | undefined {
  const match = /^(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/.exec(text.trim());
  if (!match) return undefined;
  const [days, first, second, third] = match
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  if (first === undefined) return undefined;
  const seconds =
    days !== undefined
      ? days * 86_400 + first * 3600 + (second ?? 0) * 60 + (third ?? 0)
      : third !== undefined
        ? first * 3600 + (second ?? 0) * 60 + third
        : first * 60 + (second ?? 0);
  return Math.ceil(seconds / 60);
}

const units: Record<string, number> = { '': 1, K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 };

/** `16G` in MiB; undefined: not a size. */
export function mebibytesOf(text: string): number | undefined {
  const match = /^(\d+)\s*([KMGT]?)(?:i?B)?$/i.exec(text.trim());
  const unit = units[(match?.[2] ?? '').toUpperCase()];
  return match && unit !== undefined ? Math.ceil(Number(match[1]) * unit) : undefined;
}
