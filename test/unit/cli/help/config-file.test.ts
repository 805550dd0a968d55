import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig, withDefaults } from '../../../../main/cli/help/config-file';
import { cliDefaultsFiles } from '../../../../main/platform/layout';
import { programWith } from '../../../support/cli-program';
import { rejection } from '../../../support/rejection';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'twb-config-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const paths = () => cliDefaultsFiles(join(root, 'home'), { XDG_CONFIG_HOME: join(root, 'config') });

async function write(at: 'home' | 'config', text: string): Promise<string> {
  const file = paths()[at === 'home' ? 0 : 1] ?? '';
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  return file;
}

async function applied(text: string, ...typed: string[]): Promise<readonly string[]> {
  await write('config', text);
  const config = await readConfig(paths());
  return config === null ? typed : withDefaults(programWith(), config, typed);
}

describe('readConfig', () => {
  it('takes the file of the home before that of the user, and does without', async () => {
    expect(await readConfig(paths())).toBeNull();
    const user = await write('config', 'runs: {limit: 5}');
    expect(await readConfig(paths())).toEqual({ file: user, verbs: { runs: { limit: 5 } } });
    const home = await write('home', '# nothing yet');
    expect(await readConfig(paths())).toEqual({ file: home, verbs: {} });
  });

  it('does without where the home is a file: whatever needs the home says so', async () => {
    const file = await write('config', '');
    expect(await readConfig(cliDefaultsFiles(file, { XDG_CONFIG_HOME: join(root, 'none') }))).toBeNull();
  });

  it.each(['[1, 2]', 'a: [', 'runs: *missing'])('refuses %j, naming the file', async (text) => {
    const file = await write('config', text);
    expect(await rejection(readConfig(paths()))).toMatchObject({ code: 'input-invalid', where: file });
  });
});

describe('withDefaults', () => {
  it('puts the defaults of the verb in front, and none for what was typed', async () => {
    const text =
      'perf: {url: "localhost:8000", csv: a.csv, streaming: true, json: false}\nruns: {limit: 3}\n';
    expect(await applied(text, '-q', 'perf', '-m', 'a', '--csv=b.csv')).toEqual([
      ...['-q', 'perf', '--url=localhost:8000', '--streaming', '-m', 'a', '--csv=b.csv'],
    ]);
    expect(await applied(text, 'perf', '-uhost:1', '-m', 'a')).not.toContain('--url=localhost:8000');
    expect(await applied(text, 'show', 'latest')).toEqual(['show', 'latest']);
  });

  it('takes a specification from a file as it is', async () => {
    const text = 'run: {engine: docker, set: [a=1], p99-budget-ms: 20}\n';
    expect(await applied(text, 'run', 'resnet50')).toEqual([
      ...['run', '--engine=docker', '--set=a=1', '--p99-budget-ms=20', 'resnet50'],
    ]);
    const budget = '--p99-budget-ms=20';
    expect(await applied(text, 'run', '--spec', 'run.yaml')).toEqual(['run', budget, '--spec', 'run.yaml']);
    expect(await applied(text, 'run', '--matrix=m.yaml')).toEqual(['run', budget, '--matrix=m.yaml']);
  });

  it('has no default beside an option that excludes it', async () => {
    const text = 'monitor: {url: "localhost:8000", interval: 2s}\nreport: {without: "steps"}\n';
    expect(await applied(text, 'monitor', '--replay', 'a.jsonl')).toEqual([
      ...['monitor', '--interval=2s', '--replay', 'a.jsonl'],
    ]);
    expect(await applied(text, 'monitor')).toContain('--url=localhost:8000');
    expect(await applied(text, 'report', 'latest', '--sections', 'all')).toEqual([
      ...['report', 'latest', '--sections', 'all'],
    ]);
  });

  it('gives a list as the option repeated, and knows verbs of two words', async () => {
    expect(await applied('run: {set: [a=1, b=2]}', 'run', 'resnet50')).toEqual([
      ...['run', '--set=a=1', '--set=b=2', 'resnet50'],
    ]);
    expect(await applied('images build: {json: true}', 'images', 'build', 'client-cpu')).toEqual([
      ...['images', 'build', '--json', 'client-cpu'],
    ]);
  });

  it.each([
    ['rum: {json: true}', '"rum" is not a command'],
    ['run: {precison: fp16}', '"precison" is not an option of run'],
    ['run: {precision: true}', 'run.precision must be a text, a number, or a list of them'],
    ['run: {json: "yes"}', 'run.json must be true or false'],
    ['clean: {yes: true}', 'clean.yes needs your consent each time'],
    ['perf: {tls-insecure: false}', 'perf.tls-insecure needs your consent each time'],
    ['run: fp16', '"run" must have options'],
  ])('refuses %j, whatever the verb', async (text, message) => {
    expect(await rejection(applied(text, 'runs'))).toMatchObject({ code: 'input-invalid', message });
  });
});
