import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Those with a DOM after all others: a worker takes a file over from another only where both have the same environment, and
 * else a new one imports everything again.
 */
class ByEnvironment extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const withDom = new Set(
      sorted.filter(({ moduleId }) => /@vitest-environment jsdom/.test(readFileSync(moduleId, 'utf8'))),
    );
    return [...sorted.filter((file) => !withDom.has(file)), ...withDom];
  }
}

/** Integration tests of one kind: a file at a time, as each has servers of its own. */
/** @param retry of a test that fails: rates and times suffer from the tests of other lanes beside it */
const lane = (
  name: string,
  include: string[],
  exclude: string[],
  env: Record<string, string> = {},
  retry = 0,
) => ({
  test: {
    name,
    env,
    retry,
    include,
    exclude,
    environment: 'node' as const,
    testTimeout: 1_800_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});

const containers = ['test/integration/**/*.docker.test.ts'];
const wholeDocker = ['test/integration/pipeline.docker.test.ts'];
/** A run on a host over ssh, by `npm run test:hosts` only. */
const remoteEngine = ['test/integration/remote-engine.docker.test.ts'];
/** With a private Slurm cluster. */
const slurm = ['test/integration/**/*.slurm.test.ts'];
/** Whole runs: what they come to, and what becomes of them when something is amiss. */
const pipeline = ['test/integration/{pipeline,matrix,queue}.triton.test.ts'];
/** Repeats of levels, by `npm run test:matrix` only. */
const repeats = ['test/integration/repeats.triton.test.ts'];
/** A disk that is full under a run, by `npm run test:faults` only. */
const fullDiskRuns = ['test/integration/full-disk.triton.test.ts'];
const failures = ['test/integration/{failures,deployments}.triton.test.ts'];
/** From export to report: those that come with the workbench, and the engineer's own. */
const presets = ['test/integration/published.triton.test.ts'];
const own = ['test/integration/own-*.triton.test.ts'];
/** Of these some in `npm test`, all by `npm run test:inputs`. */
const inputs = ['test/integration/{own-*,perf-data,perf-lines}.triton.test.ts'];
/** The commands of a procedure by hand, by `npm run test:published` only, and the suite that runs all on a GPU. */
const procedures = ['test/integration/{gpu-suite,command-script}.triton.test.ts'];
/** Of the files above a campaign takes all tests, `npm test` some: `takesAll` of `test/support/campaign.ts`. */
const all = { WORKBENCH_CAMPAIGN: 'all' };
const whole = [...pipeline, ...failures, ...presets, ...own];
/** What `perf` measures on a server that runs. */
const perf = ['test/integration/{perf,perf-*,cross-check}.triton.test.ts'];
/** Faults that are injected on purpose: a few of each here, all of them by `npm run test:faults`. */
const faults = ['test/faults/*.test.ts'];
const fullDisk = ['test/faults/disk.test.ts'];

export default defineConfig({
  test: {
    maxWorkers: '100%',
    sequence: { sequencer: ByEnvironment },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.{ts,tsx}'],
          setupFiles: ['test/unit/renderer/no-plotly.ts'],
          environment: 'node',
          // Files share what they import: most of their time went into importing the same modules again.
          isolate: false,
          // Keeps a test that hangs from hanging the rest; nothing is judged by it.
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      // Servers of small models and single commands: all that is in none of the others.
      lane(
        'triton',
        ['test/integration/**/*.test.ts'],
        [...containers, ...slurm, ...whole, ...procedures, ...repeats, ...fullDiskRuns, ...perf],
      ),
      lane('perf', perf, [], {}, 2),
      lane('pipeline', pipeline, []),
      lane('failures', failures, []),
      lane('docker', containers, remoteEngine),
      // By `npm run test:hosts` only: it takes half an hour.
      lane('hosts-campaign', ['test/campaigns/hosts-*.test.ts', ...remoteEngine], [], all),
      lane('slurm', slurm, []),
      // By `npm run test:slurm` only: it takes a quarter of an hour.
      lane('slurm-campaign', ['test/campaigns/slurm-*.test.ts', ...slurm], [], all),
      // By `npm run test:kubernetes` only: it builds a cluster first.
      lane('kubernetes-campaign', ['test/campaigns/kubernetes-*.test.ts'], []),
      // By `npm run test:published` and `npm run test:inputs` only: they take five minutes each.
      lane('published-campaign', ['test/campaigns/published-*.test.ts', ...presets, ...procedures], [], all),
      lane('inputs-campaign', ['test/campaigns/inputs-*.test.ts', ...inputs], [], all),
      // By `npm run test:matrix` only: its pairs, and with Docker an image that takes three minutes.
      lane(
        'matrix-campaign',
        ['test/campaigns/matrix-*.test.ts', 'test/integration/{pipeline,search}.triton.test.ts', ...repeats],
        [],
        all,
      ),
      // By `npm run test:production` only: it downloads Prometheus.
      lane('production-campaign', ['test/campaigns/production-*.test.ts'], []),
      // By `npm run test:faults` only.
      lane(
        'faults-campaign',
        ['test/campaigns/faults-*.test.ts', ...failures, ...fullDiskRuns, ...fullDisk, ...wholeDocker],
        [],
        all,
      ),
      lane('presets', presets, []),
      lane('own', own, []),
      lane('faults', faults, fullDisk),
    ],
  },
});
