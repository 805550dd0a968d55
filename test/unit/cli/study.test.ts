import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { Output } from '../../../main/cli/output';
import type { MatrixOptions } from '../../../main/cli/studies/study-spec';
import { printMatrix, runMatrix } from '../../../main/cli/study';
import type { Core } from '../../../main/core';
import { rejection } from '../../support/rejection';
import { createTestCore } from '../../support/test-core';
import { forecastMatrix } from '../specification/published';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-matrix-'));
  core = await createTestCore(join(home, 'home'));
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

interface Document {
  readonly name: string;
  readonly runs: readonly {
    readonly state: string;
    readonly reason: string | null;
    readonly runId: string | null;
  }[];
  readonly specs?: readonly { readonly spec: object | null }[];
}

/** What a verb prints, and its exit code. */
async function printed(
  work: (output: Output) => Promise<number>,
): Promise<{ readonly code: number; readonly text: string; readonly document: Document }> {
  const lines: string[] = [];
  const documents: Document[] = [];
  const code = await work({
    json: true,
    live: false,
    say: (line) => lines.push(line),
    document: (value) => documents.push(value as Document),
    rewrite: () => undefined,
    clearScreen: () => undefined,
  });
  const [document = { name: '', runs: [] }] = documents;
  return { code, text: lines.join('\n'), document };
}

async function fileOf(content: object | string): Promise<string> {
  const matrix = join(home, 'two nights.yaml');
  await writeFile(matrix, typeof content === 'string' ? content : stringify(content));
  return matrix;
}

/** `spec --matrix`. */
const planned = async (content: object | string, options: Partial<MatrixOptions> = {}, preset?: string) => {
  const matrix = await fileOf(content);
  return printed((output) => printMatrix(core, preset, { ...options, matrix }, output));
};

describe('spec --matrix', () => {
  it('shows what a preset, the engine or the rules refuse as left out, with the reason, and the others as runs', async () => {
    const { code, document } = await planned({
      matrix: { preset: ['tft', 'wide-and-deep'], format: ['onnx', 'ts-script', 'trt'], engine: ['local'] },
      profile: 'quick',
    });
    expect(code).toBe(0);
    expect(document.name).toBe('two-nights');
    expect(
      document.runs.map(({ state, reason }) => [state, reason === null ? null : reason.slice(0, 30)]),
    ).toEqual([
      ['Not started', null],
      ['Not started', null],
      ['Left out', expect.stringMatching(/^format: /)],
      ['Not started', null],
      ['Left out', expect.stringMatching(/^format: /)],
      ['Left out', expect.stringMatching(/^format: /)],
    ]);
    expect(document.specs?.map(({ spec }) => spec !== null)).toEqual([true, true, false, true, false, false]);
    expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
  });

  it('takes options for every run, and leaves out what they make the same', async () => {
    const { document } = await planned(
      { matrix: { precision: ['fp32', 'fp16'], instances: [1, 2] } },
      { set: ['configure.instances=1'] },
      'resnet50',
    );
    expect(document.runs.map(({ reason }) => reason)).toEqual([
      null,
      'The same as run 1: an option of the command line overrides configure.instances 2.',
      null,
      'The same as run 3: an option of the command line overrides configure.instances 2.',
    ]);
  });

  it('shows all configurations of a published runner, also those that no field tells apart', async () => {
    const { document } = await planned(forecastMatrix(), {
      set: ['engine.kind=docker', 'engine.gpus=["idlest"]'],
    });
    expect(document.runs.map(({ reason }) => reason)).toEqual([
      null,
      expect.stringMatching(
        /^The same as run 1: no field of a run takes CHECKPOINT_VARIANT traffic_bin\. Write "path: /,
      ),
      null,
      expect.stringMatching(/^The same as run 3: /),
    ]);
  });

  it('joins several reasons of one run', async () => {
    const { document } = await planned(
      { matrix: { 'max-batch-size': [1] }, profile: 'quick' },
      {},
      'resnet50',
    );
    expect(document.runs[0]?.reason).toMatch(/[^.]; performance\.batchSizes: /);
  });

  it('ends as a mistake of use where no run is possible', async () => {
    const { code } = await planned({ matrix: { format: ['trt'] }, profile: 'quick' }, {}, 'resnet50');
    expect(code).toBe(2);
  });

  it('refuses a preset that there is not, none at all, and a specification beside it', async () => {
    const of = async (content: object, options: Partial<MatrixOptions> = {}) => {
      const { code } = await rejection(planned(content, options));
      return code;
    };
    expect(await of({ matrix: { preset: ['nowhere'] } })).toBe('preset-unknown');
    expect(await of({ matrix: { precision: ['fp32'] } })).toBe('input-invalid');
    expect(await of({ matrix: { preset: ['tft'] } }, { spec: 'run.yaml' })).toBe('input-invalid');
  });
});

describe('run --matrix', () => {
  const content = {
    name: 'night',
    matrix: { precision: ['fp32', 'fp16'], format: ['onnx', 'trt'] },
    profile: 'quick',
  };
  const run = async (options: Partial<MatrixOptions>, of: object = content) => {
    const matrix = await fileOf(of);
    return printed((output) => runMatrix(core, 'resnet50', { ...options, matrix }, output));
  };

  /** With runs that end as given, none of which is executed. */
  const ending = async (outcomes: readonly ('paused' | 'cancelled')[], detach = false) => {
    const matrix = await fileOf({ ...content, matrix: { precision: ['fp32', 'fp16'] } });
    const open: Core['handlers']['studies.open'] = ({ plan }) =>
      Promise.resolve({
        ...{ trials: plan.trials.map((trial) => ({ ...trial, allocations: null, notes: [] })), notes: [] },
        existing: { ofTrials: 0, all: 0 },
        isOfJobs: () => false,
        begin: () => Promise.resolve(),
        close: () => Promise.resolve(),
        work: () =>
          Promise.resolve({
            results: plan.trials.map((trial, at) => ({ ...trial, outcome: outcomes[at] ?? null })),
            isCutShort: false,
          }),
      });
    const held: Core = { ...core, handlers: { ...core.handlers, 'studies.open': open } };
    return printed((output) => runMatrix(held, 'resnet50', { matrix, detach }, output));
  };

  it('that was paused before some runs began ends as paused, and says how to continue', async () => {
    const paused = await ending(['paused', 'paused']);
    expect(paused.code).toBe(4);
    expect(paused.text).toMatch(/^To continue: triton-workbench studies resume night$/m);
    expect((await ending(['paused', 'cancelled'])).code).toBe(130);
  });

  it('says that only jobs continue without it', async () => {
    expect((await ending(['paused'], true)).text).toMatch(/^--detach has no effect: only a job /m);
    expect((await ending(['paused'])).text).not.toContain('--detach');
  });

  it('says once that the settings have no effect', async () => {
    await writeFile(join(home, 'home', 'settings.json'), '{"deployment.p99BudgetMs": "soon"}');
    const written: string[] = [];
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    });
    await run({}).finally(() => {
      stderr.mockRestore();
    });
    expect(written.join('').match(/deployment\.p99BudgetMs must be .*The default is used\./g)).toHaveLength(
      1,
    );
  });

  it('says before anything starts what this machine lacks, and still reports on every run', async () => {
    const out = join(home, 'report');
    const { code, text, document } = await run({ out });
    // This home has no tools.
    expect(code).toBe(1);
    expect(document.runs.map(({ state }) => state)).toEqual(['Not run', 'Left out', 'Not run', 'Left out']);
    expect(text).toMatch(/^Runs 1, 3: Not run\. /m);
    expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
    expect(text).toContain('0 of 4 runs complete, 2 not run, 2 left out.');
    // The test's printer prints nothing: the other files are there all the same.
    const kept = JSON.parse(await readFile(join(out, 'matrix.json'), 'utf8')) as Document;
    expect(kept.runs).toHaveLength(4);
  });

  it('names what a file from elsewhere reaches before anything starts', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    await mkdir(join(elsewhere, 'data'));
    const reaching = {
      ...content,
      matrix: { precision: ['fp32'] },
      model: { dataset: join(elsewhere, 'data') },
    };
    const refused = await run({}, reaching);
    expect(refused.document.runs[0]?.reason).toContain(`${join(elsewhere, 'data')} (model.dataset)`);
    expect(refused.text).toMatch(/^Run 1: Not run\. .*\(model\.dataset\)\. To approve, add --trust, /m);
    const agreed = await run({ trust: true }, reaching);
    expect(agreed.document.runs[0]?.reason).not.toContain('(model.dataset)');
    await rm(elsewhere, { recursive: true });
  });

  it('refuses hosts that are not in the list before anything starts, and says where the others are', async () => {
    const of = async (options: Partial<MatrixOptions>, file: object = content) => {
      const { code, message, remedy = '' } = await rejection(run(options, file));
      return [code, message, remedy];
    };
    const add = 'Add it with "triton-workbench hosts add NAME ssh://user@host".';
    expect(await of({ hosts: 'a' })).toEqual(['host-unknown', 'Unknown host "a"', add]);
    expect(await of({ hosts: 'all' })).toEqual(['host-unknown', 'The list of hosts is empty', add]);
    await core.handlers['hosts.add']({ name: 'a', address: 'tcp://127.0.0.1:1' });
    expect(await of({}, { ...content, hosts: ['a', 'b'] })).toEqual([
      'host-unknown',
      'Unknown host "b"',
      'Known hosts: a.',
    ]);
    expect((await of({ hosts: 'A' }))[1]).toBe('"A" is not the name of a host');
    expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
  });

  it('leaves out what no host can do, and does not run what none can do now', async () => {
    for (const file of ['ca.pem', 'cert.pem', 'key.pem']) await writeFile(join(home, file), '');
    await core.handlers['hosts.add']({ name: 'a', address: 'tcp://127.0.0.1:1', certificates: home });
    const far = await run({ hosts: 'a' });
    // Not in containers: the options of the command line win over what hosts imply.
    const here = await run({ hosts: 'local', set: ['engine.kind=local'] });
    const near = await run({ hosts: 'a,local' });
    const reasons = [far, here, near].map(({ code, document }) => [
      code,
      document.runs[0]?.state,
      document.runs[0]?.reason,
    ]);
    expect(reasons[0]).toEqual([2, 'Left out', 'a: It is not reached by ssh.']);
    expect(far.text).toContain('None of the runs is possible: nothing was started.');
    expect(far.text).toMatch(/^Runs 1, 3: Left out\. a: It is not reached by ssh\.$/m);
    expect(here.text).toMatch(/Left out\. Hosts run only containers \(engine docker\); .* is local\.$/m);
    // This machine has no Docker: that may change.
    expect(reasons[2]).toEqual([
      1,
      'Not run',
      expect.stringMatching(/No host fits\. a: It is not reached by ssh\. local: /),
    ]);
    expect((await core.handlers['runs.all'](undefined)).runs).toEqual([]);
  });
});
