import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SpecPreview } from '../../main/contract/run/spec-tools';
import { homeLayout } from '../../main/platform/layout';
import { readPresets } from '../../main/presets/presets';
import { takesAll } from '../support/campaign';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';

interface Job {
  readonly id: string;
  readonly preset: string;
  readonly args: readonly string[];
}
const { jobsOf, levelArgs } = (await import(resolve('scripts/lib/gpu-suite.mjs'))) as {
  jobsOf: (presets: readonly object[], devices: readonly object[]) => readonly Job[];
  levelArgs: (spec: object) => readonly string[];
};
const { runSuite } = (await import(resolve('scripts/lib/gpu-run.mjs'))) as {
  runSuite: (state: object, options: object) => Promise<{ rows: readonly object[]; tables: string }>;
};

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
});
afterAll(() => home.remove());

it.each(takesAll ? ['Tesla T4', 'NVIDIA A30'] : ['Tesla T4'])(
  'plans every run of the suite for %s with two levels of each sweep',
  async (gpu) => {
    const presets = [...readPresets(resolve('resources')).values()].map(({ preset }) => preset);
    const jobs = jobsOf(presets, [{ id: 'GPU-a', gpu, slice: null }]);
    const plan = async (job: Job, ...more: readonly string[]) =>
      JSON.parse(
        (await cli(home.path, 'spec', job.preset, ...job.args, ...more, '--as', 'json')).stdout,
      ) as SpecPreview;
    for (const job of jobs) {
      const asked = (await plan(job)).spec;
      const { spec } = await plan(job, ...levelArgs(asked ?? {}));
      expect(spec?.engine, job.id).toMatchObject({ kind: 'docker', gpus: ['GPU-a'] });
      expect(spec?.model.profile).toBe('full');
      expect(spec?.configure.instanceKind).toBe('KIND_GPU');
      expect(spec?.performance.batchSizes).toHaveLength(2);
      expect(spec?.performance.concurrency).toHaveLength(2);
      if (job.id.endsWith('-trt')) expect(spec?.format).toBe('trt');
    }
  },
);

if (takesAll) {
  it('runs by the CLI, goes on after a run that fails, and packs what is needed to understand it', async () => {
    const file = join(home.path, 'bundle.zip');
    const { python } = homeLayout(home.path);
    // The environment of TensorFlow is not in this home, and may not be installed.
    const env = { ...process.env, TRITON_WORKBENCH_HOME: home.path, PIP_INDEX_URL: 'http://127.0.0.1:9/' };
    // What comes of the levels is not looked at: they are measured briefly.
    const more = ['maxTrials=3', 'measurementIntervalMs=300', 'warmupMs=100'].flatMap((field) => [
      '--set',
      `performance.${field}`,
    ]);
    const { rows, tables } = await runSuite(
      { env, child: null, interrupted: false },
      { smi: null, python, file, gpu: null, wanted: ['resnet50', 'wide-and-deep'], more },
    );
    expect(tables).toContain('nothing here was measured on a GPU');
    expect(rows).toMatchObject([
      { preset: 'resnet50', ok: true, result: 'done', steps: { deploy: 'done', report: 'done' } },
      { preset: 'wide-and-deep', ok: false },
    ]);
    expect(rows[0]).toHaveProperty('offline', expect.stringMatching(/^b1 c1: .+; b4 c1: .+ ms$/));
    const { stdout } = await promisify(execFile)(python, ['-m', 'zipfile', '-l', file]);
    for (const name of [
      ...['table.md', 'detect.json', 'docker-info.json', 'wide-and-deep-published.log'],
      ...['journal.jsonl', 'run.yaml', 'steps/deploy/triton.log'].map(
        (end) => `runs/resnet50-published/${end}`,
      ),
    ])
      expect(stdout).toContain(name);
    // Weights and models are no part of a report.
    expect(stdout).not.toMatch(/\.(onnx|pt|bin|npy)\b/);
  });
}
