import { defineConfig } from '@playwright/test';

/** Those that take models to a report, and measure. */
const runs = /\/(deployment|own-model|study|trouble)\.spec\.ts$/;

/** One window at a time of each: the machine measures. Each has a workbench home of its own. */
export default defineConfig({
  projects: [
    { name: 'runs', testMatch: runs },
    { name: 'pages', testIgnore: runs },
    // By `npm run test:window` and `npm run test:faults` only.
    { name: 'window-campaign', testDir: 'test/campaigns', testMatch: /\/window-.*\.spec\.ts$/ },
    { name: 'faults', testDir: 'test/campaigns', testMatch: /\/faults-.*\.spec\.ts$/ },
  ],
  testDir: 'test/e2e',
  outputDir: 'test-results',
  workers: 1,
  retries: 0,
  forbidOnly: true,
  timeout: 600_000,
  // Each keeps what hangs from hanging the rest; nothing is judged by them.
  expect: { timeout: 120_000 },
  // What was done, logged and fetched, and the page at the failure. The page at each step and a film of it cost processor
  // time in every test that passes: `npx playwright test --trace on` has them of one that fails.
  use: {
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false },
    screenshot: 'only-on-failure',
  },
});
