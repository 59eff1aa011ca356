import '@testing-library/jest-dom/vitest';
import { cleanup } from '@testing-library/react';
import { afterEach } from 'vitest';

afterEach(cleanup);

// jsdom lacks what browsers have for layout and preferences.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
globalThis.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList;
Element.prototype.scrollIntoView ??= () => {};
Element.prototype.hasPointerCapture ??= () => false;
// Nothing has a size there, and a virtual table without a height has no rows.
Object.defineProperty(Element.prototype, 'clientHeight', { configurable: true, value: 600 });
Object.defineProperty(Element.prototype, 'clientWidth', { configurable: true, value: 1000 });
