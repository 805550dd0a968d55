import { defineConfig } from 'vitest/config';

/** Integration tests of one kind: a file at a time, as each has servers of its own. */
const lane = (name: string, include: string[], exclude: string[]) => ({
  test: {
    name,
    include,
    exclude,
    environment: 'node' as const,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});

const containers = ['test/integration/**/*.docker.test.ts'];
/** Presets and own models from export to report. */
const models = [
  'test/integration/{presets,widedeep}.triton.test.ts',
  'test/integration/own-*.triton.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.{ts,tsx}'],
          environment: 'node',
          // Keeps a test that hangs from hanging the rest; nothing is judged by it.
          testTimeout: 60_000,
        },
      },
      lane('triton', ['test/integration/**/*.test.ts'], [...containers, ...models]),
      lane('docker', containers, []),
      lane('models', models, []),
    ],
  },
});
