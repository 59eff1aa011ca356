/** `75-400%40` or `1,3,8-20:4`: the numbers of tasks that wait together. */
export function taskNumbers(text: string): number[] {
  const numbers: number[] = [];
  for (const part of text.replace(/%.*$/, '').split(',')) {
    const match = /^(\d+)(?:-(\d+)(?::(\d+))?)?$/.exec(part.trim());
    if (!match) continue;
    const from = Number(match[1]);
    const until = match[2] === undefined ? from : Number(match[2]);
    const step = Math.max(1, Number(match[3] ?? 1));
    for (let number = from; number <= until && numbers.length < 100_000; number += step) numbers.push(number);
  }
  return numbers;
}
