/** `gpu[01-03,7],login1` as names. Bounded: a page never shows more than that. */
export function expandHosts(list: string, most = 20_000): string[] {
  const names: string[] = [];
  for (const part of splitOutside(list)) {
    expand(part, names, most);
    if (names.length >= most) break;
  }
  return names;
}

function splitOutside(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < list.length; i++) {
    if (list[i] === '[') depth++;
    else if (list[i] === ']') depth--;
    else if (list[i] === ',' && depth === 0) {
      parts.push(list.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(list.slice(start));
  return parts.map((part) => part.trim()).filter(Boolean);
}

function expand(part: string, names: string[], most: number) {
  const open = part.indexOf('[');
  const close = part.indexOf(']', open);
  if (open < 0 || close < 0) {
    names.push(part);
    return;
  }
  const head = part.slice(0, open);
  const tail = part.slice(close + 1);
  for (const range of part.slice(open + 1, close).split(',')) {
    const [from = '', to = from] = range.split('-');
    for (let i = Number(from); i <= Number(to) && names.length < most; i++) {
      expand(head + String(i).padStart(from.length, '0') + tail, names, most);
    }
  }
}
