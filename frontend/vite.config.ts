/// <reference types="vitest/config" />
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// A running spur-cloud-api, for `npm run dev`.
const api = process.env.SPUR_CLOUD_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '~': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: {
    port: 5173,
    // The API refuses foreign origins: what the dev server carries says whose page it serves.
    proxy: {
      '/api': {
        target: api,
        ws: true,
        changeOrigin: true,
        configure: (proxy) => {
          proxy.on('proxyReq', (request) => request.setHeader('origin', api));
          proxy.on('proxyReqWs', (request) => request.setHeader('origin', api));
        },
      },
    },
  },
  build: {
    target: 'es2023',
    // A strict Content-Security-Policy forbids data: scripts and fonts from anywhere but here.
    assetsInlineLimit: 0,
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['src/test/setup.ts'],
    include: ['src/**/*.test.{ts,tsx}'],
    restoreMocks: true,
  },
});
