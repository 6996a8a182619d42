import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// Relative addresses: the page works at any path, also behind a proxy that hides part of it.
export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    outDir: '../src/headwater/web',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': 'http://127.0.0.1:5000' } },
  // The tests share nothing, so one thread without new surroundings for each file is the quickest.
  test: { include: ['src/**/*.test.ts'], pool: 'threads', isolate: false, maxWorkers: 1 },
})
