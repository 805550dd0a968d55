import { describe, expect, it } from 'vitest';
import {
  plainRunId,
  readRunName,
  resolveRunId,
  runIdOrText,
  saySharedName,
} from '../../../main/cli/read-values';
import type { Core } from '../../../main/core';
import { rejection } from '../../support/rejection';

type Listed = string | readonly [runId: string, name: string];

type AllRuns = Core['handlers']['runs.all'];
type Home = Parameters<typeof resolveRunId>[0];

const listing = (all: AllRuns): Home => ({ handlers: { 'runs.all': all } });

const core = (...listed: readonly Listed[]): Home =>
  listing(
    () =>
      Promise.resolve({
        runs: listed.map((one) =>
          typeof one === 'string' ? { runId: one, name: null } : { runId: one[0], name: one[1] },
        ),
        unreadable: [],
      }) as unknown as ReturnType<AllRuns>,
  );

describe('plainRunId', () => {
  const ids = ['20261124-a-trt', '20261125-a-onnx', '20261125-b-onnx'];

  it('takes an id, and the latest runs, as resolveRunId does', async () => {
    const home = core(...ids.toReversed());
    for (const text of ['20261124-a-trt', 'latest', 'latest~0', 'latest~2'])
      expect(plainRunId(ids, text)).toBe(await resolveRunId(home, text));
  });

  it('leaves names, beginnings and runs before the first to the list', () => {
    for (const text of ['nightly', '20261124', 'latest~3', 'latest~', ''])
      expect(plainRunId(ids, text)).toBeNull();
    expect(plainRunId([], 'latest')).toBeNull();
  });
});

describe('resolveRunId', () => {
  const home = core(
    ['20261125-b-onnx', 'nightly'],
    ['20261125-a-onnx', 'nightly'],
    ['20261124-a-trt', '20261125-a-onnx'],
    ['20261123-a-trt', '20261125'],
  );

  it('takes an id, the beginning of one, a name, and the latest runs', async () => {
    expect(await resolveRunId(home, '20261124')).toBe('20261124-a-trt');
    expect(await resolveRunId(home, 'latest')).toBe('20261125-b-onnx');
    expect(await resolveRunId(home, 'latest~2')).toBe('20261124-a-trt');
    expect(await resolveRunId(core('1', ['2', 'fp16, A30']), 'fp16, A30')).toBe('2');
  });

  it('counts a run that cannot be read among the latest, and refuses it', async () => {
    const unreadable = [{ runId: '20261126-a-onnx', dir: '/runs/x', reason: 'journal: line 3' }];
    const damaged = listing(async () => ({ ...(await home.handlers['runs.all'](undefined)), unreadable }));
    expect(await rejection(resolveRunId(damaged, 'latest'))).toMatchObject({
      code: 'input-invalid',
      message: '"latest" is 20261126-a-onnx, which cannot be read: journal: line 3',
    });
    expect(await resolveRunId(damaged, 'latest~1')).toBe('20261125-b-onnx');
  });

  it('names the similar run for one that is not there, and how the first one is started', async () => {
    expect(await rejection(resolveRunId(core(['20261124-a-trt', 'weekly']), 'wekly'))).toMatchObject({
      code: 'run-unknown',
      message: 'Unknown run "wekly" (Did you mean weekly?)',
    });
    expect(await rejection(resolveRunId(home, 'nothing-like-it'))).toMatchObject({
      message: 'Unknown run "nothing-like-it"',
    });
    for (const text of ['latest', 'any'])
      expect(await rejection(resolveRunId(core(), text))).toMatchObject({
        code: 'run-unknown',
        remedy: 'The list has no runs yet. Start one: run resnet50 --profile quick',
      });
  });

  it('leaves a run that cannot be read to its reader', async () => {
    const unreadable = [{ runId: '20261126-a-onnx', dir: '/runs/x', reason: 'journal: line 3' }];
    const damaged = listing(async () => ({ ...(await home.handlers['runs.all'](undefined)), unreadable }));
    expect(await resolveRunId(damaged, '20261126-a-onnx')).toBe('20261126-a-onnx');
  });

  it('takes an id before a name, and a name before the beginning of an id', async () => {
    expect(await resolveRunId(home, '20261125-a-onnx')).toBe('20261125-a-onnx');
    expect(await resolveRunId(home, '20261125')).toBe('20261123-a-trt');
  });

  it('refuses what several have with the candidates, and a run before the first', async () => {
    expect(await rejection(resolveRunId(home, 'nightly'))).toMatchObject({
      code: 'input-invalid',
      message: '"nightly" is the name of 2 runs',
      remedy: 'Use one of: 20261125-b-onnx (nightly), 20261125-a-onnx (nightly).',
    });
    expect(await rejection(resolveRunId(home, '2026112'))).toMatchObject({
      message: '"2026112" is the beginning of 4 runs',
    });
    const many = core(...Array.from({ length: 12 }, (_, at) => `run-${at}`));
    expect((await rejection(resolveRunId(many, 'run-'))).remedy).toContain('run-9 and 2 more.');
    expect(await rejection(resolveRunId(home, 'latest~4'))).toMatchObject({ code: 'run-unknown' });
  });

  it('leaves what may be something else to whoever asks for that', async () => {
    expect(await runIdOrText(home, 'nothing')).toBe('nothing');
    expect(await runIdOrText(home, 'latest')).toBe('20261125-b-onnx');
    const whole = '20261130-220740-resnet50-onnx-fp32-dc297b';
    expect(await resolveRunId(home, whole)).toBe(whole);
  });

  it.each(['nothing', ''])('refuses %j, which is not a run', async (text) => {
    expect(await rejection(resolveRunId(home, text))).toMatchObject({ code: 'run-unknown' });
  });
});

describe('readRunName', () => {
  it('takes what a person would call a run, without the spaces around it', () => {
    expect(readRunName(' Nightly fp16, A30 ')).toBe('Nightly fp16, A30');
    expect(readRunName('latest-fp16')).toBe('latest-fp16');
  });

  it.each(['', '  ', 'latest', 'latest~2', 'published', 'published:A30', 'a\u0007b', 'x'.repeat(81)])(
    'refuses %j',
    (name) => {
      expect(() => readRunName(name)).toThrow('cannot be the name of a run');
    },
  );
});

describe('saySharedName', () => {
  const home = core(['a', 'nightly'], ['b', 'nightly'], ['c', 'nightly'], ['d', 'weekly'], ['e', 'weekly']);
  const said = async (runId: string, name: string | null): Promise<string[]> => {
    const lines: string[] = [];
    await saySharedName(home, (line) => lines.push(line), runId, name);
    return lines;
  };

  it('says how many other runs have the name, and the ID that is left', async () => {
    expect(await said('a', 'nightly')).toEqual([
      '2 other runs are also named "nightly". In commands, use the run ID: a',
    ]);
    expect(await said('d', 'weekly')).toEqual([
      'Another run is also named "weekly". In commands, use the run ID: d',
      'To keep the name for this run only: triton-workbench rename e',
    ]);
  });

  it('says nothing of a name that no other run has, or of none', async () => {
    expect(await said('f', 'monthly')).toEqual([]);
    expect(await said('a', null)).toEqual([]);
  });
});
