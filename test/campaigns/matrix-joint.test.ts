import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JointStrategy } from '../../main/contract/study/joint';
import { type StudyEntry, studyEntrySchema } from '../../main/contract/study/study';
import type { JointAnswer } from '../../main/domain/study/joint/joint-answer';
import { engineIdVariable } from '../../main/engine/local/engine-record';
import { processesWhere } from '../../main/platform/process';
import { cli, startCli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { littleModel } from '../support/little-model';
import { until } from '../support/until';

let home: TestHome;
beforeAll(async () => {
  home = await createTestHome();
  const flags = ['--batch-sizes', '1', '--concurrency', '1', '--max-trials', '3'];
  const windows = ['--measurement-interval-ms', '200', '--stability-percentage', '1000'];
  const model = ['run', 'resnet50', '--profile', 'quick', '--name', 'little', ...littleModel];
  // It waits for a batch that never fills.
  const waits = ['--set', 'configure.maxQueueDelayUs=60000', '--set', 'configure.preferredBatchSizes=[]'];
  const ran = await cli(home.path, ...model, ...flags, ...windows, ...waits);
  expect(ran.code, ran.stderr).toBe(0);
});
afterAll(() => home.remove());

const journalOf = async (): Promise<readonly StudyEntry[]> => {
  const text = await readFile(join(home.path, 'studies', 'both', 'journal.jsonl'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.endsWith('}'));
  return lines.map((line) => studyEntrySchema.parse(JSON.parse(line)));
};
const looksOf = async () =>
  (await journalOf()).flatMap((entry) => (entry.type === 'look' ? [entry.look] : []));

it('two models under load together, killed and resumed, and the queue delay that one of them misses its target by', async () => {
  const file = join(home.path, 'both.yaml');
  await writeFile(
    file,
    [
      ...['name: both', 'budgetS: 14', 'models:'],
      // The first has no time for the delay, the second has it.
      ...[
        '  - {model: little, title: fast, rate: 10, p99Ms: 55, space: &one {instances: [1], threads: [1]}}',
      ],
      ...['  - {model: little, title: slow, rate: 10, p99Ms: 2000, space: *one}', ''],
    ].join('\n'),
  );
  const killed = startCli(home.path, ['search', file, '--json']);
  await until('two looks were made', async () => (await looksOf()).length >= 2);
  killed.child.kill('SIGKILL');
  await killed.result;
  const before = await looksOf();
  const { code, stdout, stderr } = await cli(home.path, 'studies', 'resume', 'both', '--json');
  expect([0, 4], stderr).toContain(code);
  const { joint, answer } = JSON.parse(stdout) as { joint: JointStrategy; answer: JointAnswer };
  const looks = await looksOf();
  expect(looks.slice(0, before.length)).toEqual(before);
  expect(answer.seconds).toBeLessThanOrEqual(joint.budgetS);
  // Each is of both models, which were under load at the same time.
  expect(looks.every(({ beside = [], requestCount }) => beside.length === 1 && requestCount > 0)).toBe(true);
  expect(answer.factor).not.toBeNull();
  expect(answer.rows.map(({ model }) => model)).toEqual(['fast', 'slow']);
  expect(answer.rows[0]?.configuration).toMatch(/queue delay|batching/);
  const engines = await processesWhere(engineIdVariable, (value) => value !== '');
  expect(engines).toEqual([]);
});
