import { defineConfig } from '@playwright/test';

/** One window at a time: they share the workbench home, and the machine measures. */
export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  workers: 1,
  retries: 0,
  forbidOnly: true,
  timeout: 600_000,
  // Each keeps what hangs from hanging the rest; nothing is judged by them.
  expect: { timeout: 120_000 },
  use: { trace: 'retain-on-failure', screenshot: 'only-on-failure' },
});
