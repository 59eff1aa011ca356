const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const some = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export function count(n: number): string {
  return whole.format(n);
}

export function amount(n: number): string {
  return some.format(n);
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function bytes(n: number): string {
  let value = n;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 100 || unit === 0 ? whole.format(value) : some.format(value)} ${units[unit]}`;
}

/** Money comes as a decimal text and stays exact; only its look is local. */
export function money(decimal: string | number, currency: string): string {
  return new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(
    decimal as Intl.StringNumericLiteral,
  );
}

export function percent(part: number, of: number): string {
  return of === 0 ? '–' : new Intl.NumberFormat(undefined, { style: 'percent' }).format(part / of);
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
