import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { StudySummary } from '../../main/contract/study/study';
import type { matrixDocument } from '../../main/domain/measured/matrix';
import { readJournal } from '../../main/store/journal';
import { runFolder } from '../../main/store/run-folder';
import { cli, type CliResult, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleQueueDelayUs } from '../support/little-model';
import { pdfPages } from '../support/pdf-pages';

type Document = ReturnType<typeof matrixDocument> & {
  readonly reports: readonly { readonly kind: string; readonly path: string }[];
};

let home: TestHome;
let run: readonly string[];
beforeAll(async () => {
  home = await createTestHome();
  const file = join(home.path, 'small.yaml');
  // What is measured does not matter here: little data, hardly trained, and one that cannot be trained at all.
  await writeFile(
    file,
    stringify({
      name: 'small',
      matrix: { 'model.args.train_epochs': ['many', '1'], format: ['onnx', 'trt', 'ts-trace'] },
      profile: 'quick',
      model: { args: { train_images: '20', val_images: '4' } },
      accuracy: { thresholds: { top1: 0 } },
      configure: { maxQueueDelayUs: Number(littleQueueDelayUs) },
      performance: {
        ...{ batchSizes: [1], concurrency: [1, 2], maxTrials: 3, warmupMs: 100 },
        ...{ measurementIntervalMs: 250, stabilityPercentage: 1000 },
      },
    }),
  );
  run = ['run', 'resnet50', '--matrix', file, '--json'];
});
afterAll(() => home.remove());

const documentIn = ({ stdout }: CliResult): Document => JSON.parse(stdout) as Document;
const states = ({ runs }: Document) => runs.map(({ state }) => state);
const attemptsOf = async (runId: string): Promise<number> => {
  const { entries } = await readJournal(runFolder(join(home.path, 'runs', runId)).journal);
  return entries.filter(({ type }) => type === 'run-started').length;
};

describe('run --matrix', () => {
  let first: Document;

  it('works off every run that is possible, past the ones that fail, and compares them in one report', async () => {
    const result = await cli(home.path, ...run);
    first = documentIn(result);
    expect(states(first)).toEqual(['Failed', 'Left out', 'Failed', 'Complete', 'Left out', 'Complete']);
    expect(first.summary).toBe('2 of 6 runs complete, 2 failed, 2 left out');
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('\n1 of 4: many, onnx');
    expect(result.stderr).toContain('\n4 of 4: 1, ts-trace');
    // Left out before the first one is started, with the reason.
    const plan = result.stderr.slice(0, result.stderr.indexOf('1 of 4'));
    expect(plan).toMatch(/^Runs 2, 5: Left out\. format: /m);
    for (const { state, accuracyPassed, offline, online, reason } of first.runs) {
      if (state === 'Complete') {
        expect(accuracyPassed).toBe(true);
        // On a busy machine no level may be steady: then the figures are marked, and the reason says so.
        for (const [scenario, best] of Object.entries({ offline, online })) {
          expect(best?.batchSize).toBe(1);
          expect(reason ?? '').toEqual(
            best?.steady === true ? expect.not.stringContaining(scenario) : expect.stringContaining(scenario),
          );
        }
      } else expect([offline, online, typeof reason]).toEqual([null, null, 'string']);
    }
    expect(first.reports.map(({ kind }) => kind)).toEqual(['html', 'csv', 'json', 'pdf']);
    const pdf = first.reports.find(({ kind }) => kind === 'pdf')?.path ?? '';
    expect((await pdfPages(pdf)).length).toBe(1);
    const csv = first.reports.find(({ kind }) => kind === 'csv')?.path ?? '';
    expect((await readFile(csv, 'utf8')).trimEnd().split('\r\n')).toHaveLength(1 + 6);
  });

  it('leaves ordinary runs that are found by the name of the matrix', async () => {
    const { runs } = JSON.parse((await cli(home.path, 'runs', '--json')).stdout) as {
      runs: { runId: string; tags: string[]; matrix?: { name: string } }[];
    };
    expect(runs.map(({ tags, matrix }) => [tags, matrix?.name])).toEqual(Array(4).fill([['small'], 'small']));
    const ids = first.runs.flatMap(({ runId }) => runId ?? []);
    expect(runs.map(({ runId }) => runId).sort()).toEqual([...ids].sort());
  });

  it('--resume tries the failed ones again and measures nothing a second time', async () => {
    const again = documentIn(await cli(home.path, ...run, '--resume'));
    expect(states(again)).toEqual(states(first));
    expect(again.runs.map(({ runId }) => runId)).toEqual(first.runs.map(({ runId }) => runId));
    const attempts = await Promise.all(
      again.runs.flatMap(({ runId }) => (runId === null ? [] : [attemptsOf(runId)])),
    );
    expect(attempts).toEqual([2, 2, 1, 1]);
    expect(again.runs[3]?.offline).toEqual(first.runs[3]?.offline);
  });

  it('is a study, with what became of each run', async () => {
    const list = JSON.parse((await cli(home.path, 'studies', '--json')).stdout) as StudySummary[];
    expect(list).toMatchObject([{ name: 'small', state: 'failed', runs: 6, complete: 2, isKept: true }]);
    const shown = JSON.parse((await cli(home.path, 'studies', 'show', 'small', '--json')).stdout) as Document;
    expect(states(shown)).toEqual(states(first));
    const text = (await cli(home.path, 'studies', 'show', 'small')).stdout;
    expect(text).toContain('small: failed, 2 of 6 runs complete, 2 failed, 2 left out');
  });

  it('after Ctrl-C cancels the run under way, starts no other and still reports', async () => {
    const started = startCli(home.path, run);
    await started.line(/^3 of 4: /);
    await started.line(/^[✓-] Export model/);
    started.child.kill('SIGINT');
    const result = await started.result;
    const document = documentIn(result);
    expect(result.code).toBe(130);
    expect(states(document)).toEqual([
      'Failed',
      'Left out',
      'Failed',
      'Cancelled',
      'Left out',
      'Not started',
    ]);
    expect(document.runs[5]?.runId).toBeNull();
  });
});
