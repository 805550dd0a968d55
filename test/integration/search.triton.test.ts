import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { AnalyzerConfig } from '../../main/contract/study/analyzer-config';
import type { SearchStrategy } from '../../main/contract/study/search';
import { studyEntrySchema } from '../../main/contract/study/study';
import type { DuelAnswer } from '../../main/domain/study/duel/duel-answer';
import type { SearchAnswer } from '../../main/domain/study/search/search-answer';
import { engineIdVariable } from '../../main/engine/local/engine-record';
import { processesWhere } from '../../main/platform/process';
import { takesAll } from '../support/campaign';
import { cli, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';
import { onnxBytes } from '../support/onnx-bytes';
import { startTestTriton } from '../support/triton';
import { until } from '../support/until';

interface Document {
  readonly name: string;
  readonly search: SearchStrategy;
  readonly answer: SearchAnswer;
}

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
  const flags = ['--batch-sizes', '1', '--concurrency', '1', '--max-trials', '3'];
  const windows = ['--measurement-interval-ms', '200', '--stability-percentage', '1000'];
  const ran = await cli(
    home.path,
    'run',
    'resnet50',
    '--profile',
    'quick',
    '--name',
    'little',
    ...littleModel,
    ...flags,
    ...windows,
    // It waits for a batch that never fills.
    ...['--set', 'configure.maxQueueDelayUs=60000', '--set', 'configure.preferredBatchSizes=[]'],
  );
  expect(ran.code, ran.stderr).toBe(0);
});
afterAll(() => home.remove());

const searching = (name: string, ...more: readonly string[]) => [
  ...['search', 'little', '--name', name, '--p99', '2s', '--load', 'closed', '--concurrency', '1,4'],
  ...['--instances', '1,2', '--batching', 'dynamic', '--queue-delays-us', '0', '--threads', '1'],
  ...['--budget', '24s', '--json', ...more],
];

async function journalOf(name: string) {
  const text = await readFile(join(home.path, 'studies', name, 'journal.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => studyEntrySchema.parse(JSON.parse(line)));
}
const looksOf = async (name: string) =>
  (await journalOf(name)).flatMap((entry) => (entry.type === 'look' ? [entry.look] : []));

/** Triton processes of this home. */
const servers = async () => {
  const records = await readdir(join(home.path, 'engines')).catch(() => []);
  const ids = records.map((name) => name.replace('.json', ''));
  return (await processesWhere(engineIdVariable, (value) => ids.includes(value))).length;
};

describe('search', () => {
  it('goes on where it was killed, and says which of its candidates is the best', async () => {
    const killed = startCli(home.path, searching('little'));
    await until('three looks were made', async () => (await looksOf('little').catch(() => [])).length >= 3);
    killed.child.kill('SIGKILL');
    await killed.result;
    const before = await looksOf('little');
    const { code, stdout, stderr } = await cli(home.path, 'studies', 'resume', 'little', '--json');
    expect(code, stderr).toBe(0);
    const { search, answer } = JSON.parse(stdout) as Document;
    const looks = await looksOf('little');
    // No look is lost or made again, and the budget counts those before the kill.
    expect(looks.slice(0, before.length)).toEqual(before);
    expect(answer.seconds).toBeCloseTo(
      looks.reduce((sum, { seconds }) => sum + seconds, 0),
      6,
    );
    expect(answer.seconds).toBeLessThanOrEqual(search.budgetS);
    expect(looks.every(({ requestCount, errorCount }) => requestCount > 0 && errorCount === 0)).toBe(true);
    // The present one waits 60 ms; the others do not.
    expect(search.candidates.map(({ instances, maxQueueDelayUs }) => [instances, maxQueueDelayUs])).toEqual([
      [1, 60_000],
      [1, 0],
      [2, 0],
    ]);
    expect(answer).toMatchObject({ isConfirmed: true, isCutShort: false, isWithinNoise: false });
    expect(answer.winner?.candidate).not.toBe(1);
    expect(answer.gain?.low).toBeGreaterThan(1);
    // One server in each process, however many variants, and nothing left of them.
    const work = join(home.path, 'studies', 'little', 'work');
    const log = await readFile(join(work, 'triton.log'), 'utf8');
    expect(log.match(/Started HTTPService/g)).toHaveLength(2);
    expect(await readdir(work)).not.toContain('repository');
    expect(await servers()).toBe(0);
  });

  if (takesAll) {
    it('makes the model of another precision first, as a run of the study that is not measured', async () => {
      const { code, stdout, stderr } = await cli(
        home.path,
        ...searching('half', '--precisions', 'fp16', '--queue-delays-us', '60000'),
        ...['--instances', '1', '--concurrency', '1', '--budget', '12s'],
      );
      expect(code, stderr).toBe(0);
      expect(stderr).toContain(
        'Prepared first, each up to its accuracy check and not counted as load: ONNX FP16.',
      );
      const { search, answer } = JSON.parse(stdout) as Document;
      expect(search.candidates.map(({ precision }) => precision)).toEqual(['fp32', 'fp16']);
      expect(answer.rows.every(({ looks, reason }) => looks > 0 && reason === null)).toBe(true);
      const made = (await journalOf('half')).flatMap((entry) =>
        entry.type === 'trial-run' ? [entry.runId] : [],
      );
      const { stdout: shown } = await cli(home.path, 'show', ...made, '--json');
      expect(JSON.parse(shown)).toMatchObject({
        ...{ status: 'paused', name: 'half ONNX FP16', tags: ['half'], accuracy: { passed: true } },
      });
      const removed = await cli(home.path, 'studies', 'remove', 'half', '--with-runs', '--yes');
      expect(removed.code, removed.stderr).toBe(0);
      expect((await cli(home.path, 'show', ...made)).code).toBe(2);
    });
  }

  it('is a study of the list, whose name no other can have', async () => {
    const list = JSON.parse((await cli(home.path, 'studies', 'list', '--json')).stdout) as unknown;
    expect(list).toMatchObject([{ name: 'little', state: 'done', runs: 3, complete: 3 }]);
    const again = await cli(home.path, ...searching('little'));
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('A study "little" already exists');
  });

  it('takes a configuration of Model Analyzer, and names what it does not take with its line', async () => {
    const file = join(home.path, 'config.yaml');
    await writeFile(
      file,
      `profile_models: [little]
run_config_search_max_instance_count: 2
run_config_search_max_model_batch_size: 2
concurrency: 1,4
latency_budget: 50
triton_launch_mode: docker
`,
    );
    const asked = ['search', 'little', '--from-analyzer', file, '--dry-run', '--instances', '1', '--json'];
    const { code, stdout, stderr } = await cli(home.path, ...asked);
    expect(code, stderr).toBe(0);
    const { search, analyzer } = JSON.parse(stdout) as Document & { analyzer: AnalyzerConfig };
    expect(search.target).toMatchObject({ percentile: 99, latencyUs: 50_000 });
    expect(search.load).toMatchObject({ kind: 'closed', concurrency: [1, 4] });
    // The option takes the place of the file.
    expect(new Set(search.candidates.slice(1).map(({ instances }) => instances))).toEqual(new Set([1]));
    expect(search.candidates.slice(1).map(({ maxBatchSize }) => maxBatchSize)).toEqual([1, 2]);
    expect(analyzer.left).toEqual([
      { line: 6, option: 'triton_launch_mode', text: 'the engine is that of the run' },
    ]);
    await writeFile(file, 'profile_models: [little\n');
    const bad = await cli(home.path, ...asked);
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringMatching(/at line 2/)]);
  });

  it('takes the model from the repository that such a configuration names, where no run is named', async () => {
    const repository = join(home.path, 'repository');
    const model = join(repository, 'wide');
    await mkdir(join(model, '1'), { recursive: true });
    await writeFile(join(model, '1', 'model.onnx'), onnxBytes());
    await writeFile(join(model, 'config.pbtxt'), 'backend: "onnxruntime"\nmax_batch_size: 4\n');
    const file = join(home.path, 'config.yaml');
    await writeFile(file, 'model_repository: repository\nprofile_models: [wide]\nconcurrency: 1,4\n');
    const asked = ['search', '--from-analyzer', file, '--p99', '20ms', '--dry-run', '--json'];
    const { code, stdout, stderr } = await cli(home.path, ...asked);
    expect(code, stderr).toBe(0);
    const { search, analyzer } = JSON.parse(stdout) as Document & { analyzer: AnalyzerConfig };
    expect(search).toMatchObject({ runId: null, load: { kind: 'closed', concurrency: [1, 4] } });
    expect(search.candidates[0]).toMatchObject({ maxBatchSize: 4 });
    expect(analyzer.taken.map(({ option }) => option)).toContain('model_repository');
    await writeFile(file, 'model_repository: repository\nprofile_models: [deep]\n');
    expect(await cli(home.path, ...asked)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The model repository has no model "deep"') as string,
    });
    expect(await cli(home.path, 'search', '--dry-run')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No run and no model is named') as string,
    });
  });

  if (takesAll) {
    it('sends the requests of a trace, and is resumed from what it kept of it', async () => {
      const trace = join(home.path, 'trace.csv');
      // Bursts of 20 within 0.2 s, every 2 s.
      const times = Array.from({ length: 400 }, (_unused, at) => 2 * Math.floor(at / 20) + (at % 20) / 100);
      await writeFile(trace, `timestamp,user\n${times.map((time) => `${time},ann`).join('\n')}\n`);
      const asked = [
        ...['search', 'little', '--name', 'july', '--p99', '2s', '--replay', trace, '--instances', '1'],
        ...['--batching', 'dynamic', '--queue-delays-us', '0', '--threads', '1', '--budget', '20s', '--json'],
      ];
      const killed = startCli(home.path, asked);
      const replayed = async () =>
        (await looksOf('july').catch(() => [])).filter(({ measured }) => measured?.replay !== undefined);
      await until('one part was sent', async () => (await replayed()).length >= 1);
      killed.child.kill('SIGKILL');
      await killed.result;
      await rm(trace);
      const { stdout, stderr } = await cli(home.path, 'studies', 'resume', 'july', '--json');
      const { answer } = JSON.parse(stdout) as Document;
      expect(answer.winner, stderr).not.toBeNull();
      expect(answer.sentence).toMatch(/requests\/s \([\d.,]+ times as fast as recorded\) within p99/);
      for (const { load, measured } of await replayed()) {
        const { requests = 0, seconds = 1 } = measured?.replay ?? {};
        // The busiest part has at least the mean rate of the trace.
        expect(requests / seconds).toBeGreaterThan(0.99 * ('requestRate' in load ? load.requestRate : 0));
      }
      const kept = await readFile(join(home.path, 'studies', 'july', 'replay.csv'), 'utf8');
      expect(kept).not.toContain('ann');
      expect(kept.split('\n').slice(0, 3)).toEqual(['timestamp_us', '0', '10000']);
    });
  }

  it('measures two verified models in turns, and goes on behind the last look of a killed comparison', async () => {
    const comparing = ['compare', 'little', 'little', '--measure', '--name', 'gate', '--request-rate', '200'];
    const gate = [...comparing, '--batch-size', '1', '--budget', '12s', '--fail-if', 'p99>5x', '--json'];
    const killed = startCli(home.path, gate);
    await until('three looks were made', async () => (await looksOf('gate').catch(() => [])).length >= 3);
    killed.child.kill('SIGKILL');
    await killed.result;
    const before = await looksOf('gate');
    const { code, stdout } = await cli(home.path, 'studies', 'resume', 'gate', '--json');
    const { answer } = JSON.parse(stdout) as { readonly answer: DuelAnswer };
    const looks = await looksOf('gate');
    expect(looks.slice(0, before.length)).toEqual(before);
    expect(looks.map(({ candidate }) => candidate)).toEqual(
      looks.map((_look, at) => [1, 2, 2, 1, 2, 1, 1, 2][at % 8]),
    );
    expect(looks.every(({ requestCount, errorCount }) => requestCount > 0 && errorCount === 0)).toBe(true);
    expect(answer.seconds).toBeLessThanOrEqual(12);
    // A model is not five times as slow as itself; a machine that is full may leave it untold.
    expect(answer.outcome).not.toBe('outside');
    expect(code).toBe(answer.outcome === 'within' ? 0 : 4);
    expect(await readdir(join(home.path, 'studies', 'gate', 'work'))).not.toContain('repository');
    expect(await servers()).toBe(0);
    expect((await readdir(join(home.path, 'matrices', 'gate'))).toSorted()).toEqual(
      expect.arrayContaining(['comparison.csv', 'comparison.html', 'comparison.json', 'comparison.md']),
    );
  });

  if (takesAll) {
    it('searches on a Triton that is already running, unloads only its own, and goes on there behind a kill', async () => {
      const others = ['--model-control-mode=explicit', '--load-model=other'];
      const model = { name: 'other', execute: 'return values', maxBatchSize: 0 };
      const triton = await startTestTriton([model], others);
      onTestFinished(() => triton.stop());
      const ready = async () => {
        // The index of the repository has no models that came with their files.
        const response = await fetch(`http://${triton.httpAddress}/v2/models/stats`);
        const { model_stats: stats } = (await response.json()) as {
          readonly model_stats: readonly { readonly name: string }[];
        };
        return stats.map(({ name }) => name);
      };
      const there = [
        ...searching('there', '-u', triton.httpAddress, '--instances', '1', '--budget', '12s'),
        ...['--concurrency', '4'],
      ];
      const unasked = await cli(home.path, ...there);
      expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('Nothing was loaded')]);
      expect(await ready()).toEqual(['other']);
      const killed = startCli(home.path, [...there, '--yes']);
      await until('two looks were made', async () => (await looksOf('there').catch(() => [])).length >= 2);
      killed.child.kill('SIGKILL');
      await killed.result;
      const before = await looksOf('there');
      // Both at once, beside the model of others.
      expect(await ready()).toHaveLength(3);
      const { code, stdout, stderr } = await cli(home.path, 'studies', 'resume', 'there', '--json');
      expect(code, stderr).toBe(0);
      const { answer } = JSON.parse(stdout) as Document;
      expect((await looksOf('there')).slice(0, before.length)).toEqual(before);
      // The present one waits 60 ms; the other does not.
      expect(answer.winner?.candidate).toBe(2);
      expect(await ready()).toEqual(['other']);
      expect(answer.place).toMatchObject({ engine: 'remote', address: triton.httpAddress });
      const both = ['compare', 'little', 'little', '--measure', '--name', 'twins', '--fail-if', 'p99>5x'];
      const compared = await cli(
        home.path,
        ...[...both, '-u', triton.httpAddress, '--yes', '--request-rate', '200', '--batch-size', '1'],
        ...['--budget', '12s', '--json'],
      );
      // A machine that is full may leave it untold.
      expect([0, 4], compared.stderr).toContain(compared.code);
      expect(compared.stderr).toContain('1 model is ready there: other.');
      const duel = JSON.parse(compared.stdout) as { readonly answer: DuelAnswer };
      expect(duel.answer.rows.every(({ looks, reason }) => looks > 0 && reason === null)).toBe(true);
      expect(await ready()).toEqual(['other']);
      const polling = await startTestTriton([model]);
      onTestFinished(() => polling.stop());
      const refused = await cli(home.path, ...searching('no', '-u', polling.httpAddress, '--dry-run'));
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining('--model-control-mode=explicit'),
      ]);
    });
  }

  it('refuses a budget that is too short for its candidates, and a run that is not there', async () => {
    const short = await cli(home.path, ...searching('short'), '--budget', '3s');
    expect(short.code).toBe(2);
    expect(short.stderr).toContain('s of load');
    const unknown = await cli(home.path, 'search', 'nothere');
    expect(unknown.code).toBe(2);
  });
});
