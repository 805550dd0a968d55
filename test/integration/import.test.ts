import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capacityDocumentSchema } from '../../main/contract/measured/capacity-document';
import { cli, type RunDocument } from '../support/cli';
import { createTestHome, repository, type TestHome } from '../support/home';
import { withoutMarks } from '../support/unbroken';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome(['python', 'electron']);
});
afterAll(() => home.remove());

const fixture = (name: string) => join(repository, 'test', 'fixtures', 'perf-analyzer', name);
const imported = async (...args: string[]) => {
  const result = await cli(home.path, 'import', ...args, '--json');
  return { code: result.code, document: JSON.parse(result.stdout) as RunDocument & { notes: string[] } };
};

describe('import', () => {
  it.each([
    ['profile-concurrency.csv', 'perf-analyzer-csv'],
    ['profile-concurrency.json', 'perf-analyzer-profile'],
  ])('makes a run of %s that is marked, listed, reported and not run', async (name, kind) => {
    const { code, document } = await imported(fixture(name), '--model', 'cached', '--batch-size', '2');
    expect(code).toBe(0);
    expect(document).toMatchObject({ status: 'done', environment: null, imported: { kind, fileName: name } });
    expect(document.online.map((point) => [point.batchSize, point.concurrency])).toEqual([
      [2, 1],
      [2, 2],
    ]);
    expect(document.offline).toEqual([]);

    const { runs } = JSON.parse((await cli(home.path, 'runs', '--json')).stdout) as {
      runs: { runId: string; preset: string; imported: string | null }[];
    };
    expect(runs.find(({ runId }) => runId === document.runId)).toMatchObject({ preset: 'cached' });

    const html = document.reports.find((report) => report.kind === 'html')?.path ?? '';
    const page = await readFile(html, 'utf8');
    expect(page).toContain('not known: not measured here');
    expect(page).toContain('Batch size 2 was set at the import');
    // Parameters are nobody's: those of the empty place are not shown.
    expect(page).not.toContain('<h2>Parameters</h2>');

    const resumed = await cli(home.path, 'resume', document.runId, '--json');
    expect(resumed.code).toBe(2);
    expect(resumed.stderr).toContain('An imported run cannot be run');
  });

  it('has a name in its report, and is found by it, also under another one', async () => {
    const { document } = await imported(fixture('profile-concurrency.csv'), '--name', 'nightly fp16');
    const { runId, reports } = document;
    const html = reports.find((report) => report.kind === 'html')?.path ?? '';
    expect(await readFile(html, 'utf8')).toMatch(/<h1>nightly fp16 · /);
    expect((await cli(home.path, 'show', 'nightly fp16')).stdout).toContain(`nightly fp16, ${runId}: done`);
    expect((await cli(home.path, 'rename', 'nightly fp16', 'weekly')).code).toBe(0);
    expect((await cli(home.path, 'report', 'weekly')).code).toBe(0);
    expect(await readFile(html, 'utf8')).toMatch(/<h1>weekly · /);
    const { runs } = JSON.parse((await cli(home.path, 'runs', '--limit', '1', '--json')).stdout) as {
      runs: { runId: string; name: string | null }[];
    };
    expect(runs).toMatchObject([{ runId, name: 'weekly' }]);
    const asked = await cli(home.path, 'complete-words', '--', 'show', 'we');
    expect(asked.stdout).toBe(`weekly\t${runId}, done\n`);
    const unknown = await cli(home.path, 'show', 'nightly fp16');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Unknown run')]);
  });

  it('answers a p99 budget in the same sentence in CLI, report, CSV and JSON', async () => {
    const { document } = await imported(fixture('profile-concurrency.csv'), '--model', 'cached');
    const { runId } = document;
    const slowestMs = Math.max(...document.online.map(({ p99Us }) => p99Us)) / 1000;
    const budget = ['--p99-budget-ms', String(Math.ceil(slowestMs))];
    const tried = await cli(home.path, 'show', runId, ...budget);
    const sentence = /Best steady level within .*\.$/m.exec(tried.stdout)?.[0] ?? '';
    expect(sentence).toContain('inferences/s at p99');
    // Looking does not change the run.
    expect((await cli(home.path, 'show', runId)).stdout).not.toContain(sentence);

    const written = await cli(home.path, 'report', runId, ...budget, '--json');
    const { reports } = JSON.parse(written.stdout) as Pick<RunDocument, 'reports'>;
    const text = async (kind: string) =>
      withoutMarks(await readFile(reports.find((report) => report.kind === kind)?.path ?? '', 'utf8'));
    for (const kind of ['html', 'csv-online', 'json'])
      expect([kind, await text(kind)]).toEqual([kind, expect.stringContaining(sentence)]);
    expect((await cli(home.path, 'show', runId)).stdout).toContain(sentence);
    const shown = JSON.parse((await cli(home.path, 'show', runId, '--json')).stdout) as RunDocument;
    expect(shown.budget).toMatchObject({
      p99BudgetMs: Math.ceil(slowestMs),
      text: expect.stringContaining(sentence) as string,
    });

    const refused = await cli(home.path, 'report', runId, '--p99-budget-ms', '0');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--p99-budget-ms')]);
  });

  it('is planned with: its levels, exit code 3 where none holds the target, 2 for what cannot be planned', async () => {
    const { document } = await imported(fixture('profile-concurrency.csv'), '--model', 'cached');
    const [fastest] = document.online.toSorted((a, b) => b.inferencesPerSecond - a.inferencesPerSecond);
    const slowestMs = Math.ceil(Math.max(...document.online.map(({ p99Us }) => p99Us)) / 1000);
    const capacity = (p99: string, ...options: readonly string[]) =>
      cli(home.path, 'capacity', document.runId, '--rate', '5000', '--p99', p99, ...options);
    const planned = await capacity(`${slowestMs}ms`, '--headroom', '0%', '--spare', '2', '--json');
    expect(planned.code).toBe(0);
    const held = fastest?.inferencesPerSecond ?? 0;
    const plan = capacityDocumentSchema.parse(JSON.parse(planned.stdout));
    expect(plan).toMatchObject({
      ...{ replicas: Math.ceil(5000 / held) + 2, gpus: null, cost: null, energyJoulesPerInference: null },
      replica: { inferencesPerSecond: held, open: false, gpus: null },
    });
    expect(plan.notes[0]).toBe(
      'Measured in a closed loop; only an open-loop measurement supports a promise.',
    );
    const none = await capacity('1us');
    expect([none.code, none.stdout]).toEqual([
      3,
      expect.stringMatching(/^No steady level meets a p99 of 0.001 ms/),
    ]);
    const refused = await capacity('20ms', '--headroom', '-1%');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--headroom')]);
  });

  it('makes a run of each configuration of Model Analyzer, which are ranked together', async () => {
    const path = join(home.path, 'metrics-model-inference.csv');
    const gpu = join(home.path, 'metrics-model-gpu.csv');
    await writeFile(
      path,
      `Model,Batch,Concurrency,Model Config Path,Instance Group,Max Batch Size,Satisfies Constraints,Throughput (infer/sec),p99 Latency (ms)
wide,1,32,wide_config_3,2:GPU,8,Yes,1412.3,32.8
wide,1,4,wide_config_default,1:GPU,16,No,402.1,12.1
`,
    );
    await writeFile(
      gpu,
      `Model,GPU UUID,Batch,Concurrency,Model Config Path,Instance Group,Satisfies Constraints,GPU Memory Usage (MB),GPU Utilization (%),GPU Power Usage (W)
wide,GPU-1,1,32,wide_config_3,2:GPU,Yes,512,80,120
`,
    );
    const { code, stdout } = await cli(home.path, 'import', gpu, path, '--name', 'august', '--json');
    expect(code).toBe(0);
    const { runs, notes } = JSON.parse(stdout) as {
      runs: { runId: string; configuration: string }[];
      notes: string[];
    };
    expect(runs.map(({ configuration }) => configuration)).toEqual(['wide_config_3', 'wide_config_default']);
    expect(notes).toContain('Model Analyzer rounds to 0.1 ms and writes no median.');
    const shown = JSON.parse(
      (await cli(home.path, 'show', 'august wide_config_3', '--json')).stdout,
    ) as RunDocument;
    expect(shown).toMatchObject({
      imported: { kind: 'model-analyzer-csv', fileName: 'metrics-model-inference.csv' },
      online: [{ concurrency: 32, p99Us: 32_800, p50Us: null, gpus: [{ uuid: 'GPU-1', utilization: 0.8 }] }],
    });
    const page = await cli(home.path, 'show', 'august wide_config_3');
    expect(page.stdout).toContain('Instance Group 2:GPU, Max Batch Size 8.');
    const best = JSON.parse((await cli(home.path, 'best', '--last', '2', '--json')).stdout) as {
      text: string;
    };
    expect(best.text).toContain('august wide_config_3');
    // A report is written when it is asked for, without the median.
    expect((await cli(home.path, 'report', 'august wide_config_3')).code).toBe(0);
    const alone = await cli(home.path, 'import', gpu);
    expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('no levels')]);
  });

  it('says what it assumed', async () => {
    const { document } = await imported(fixture('concurrency-plain.csv'));
    expect(document.notes.join(' ')).toContain('Batch size 1 is assumed');
    expect(document.runId).toContain('concurrency-plain-imported');
  });

  it('refuses a foreign file with its place, and leaves no run', async () => {
    const path = join(home.path, 'broken.csv');
    await copyFile(fixture('concurrency-plain.csv'), path);
    await writeFile(path, (await readFile(path, 'utf8')).replace('631', 'soon'));
    const before = (await cli(home.path, 'runs', '--json')).stdout;
    const result = await cli(home.path, 'import', path, '--json');
    expect(result.code).toBe(2);
    expect(JSON.parse(result.stdout)).toMatchObject({
      error: { code: 'input-invalid', where: 'broken.csv, line 2, column "p50 latency"' },
    });
    expect((await cli(home.path, 'runs', '--json')).stdout).toBe(before);
  });

  it.each([
    ['a file that is not there', ['/nowhere/x.csv'], 2],
    ['half a batch', [fixture('concurrency-plain.csv'), '--batch-size', '0.5'], 2],
  ])('refuses %s', async (_name, args, code) => {
    expect((await cli(home.path, 'import', ...args)).code).toBe(code);
  });
});
