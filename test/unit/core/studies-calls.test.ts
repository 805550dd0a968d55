import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Core } from '../../../main/core';
import { varyText } from '../../../renderer/views/studies/vary-text';
import { rejection } from '../../support/rejection';
import { createTestCore } from '../../support/test-core';
import { until } from '../../support/until';
import { forecastMatrix } from '../specification/published';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-studies-'));
  core = await createTestCore(join(home, 'home'));
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

const read = (text: string, fileName = 'night.yaml') => core.handlers['studies.read']({ text, fileName });

describe('a study from a file', () => {
  it('has all configurations of a published runner, and says which it leaves out', async () => {
    const spec = await read(forecastMatrix(), 'config_NVIDIA-A30.yaml');
    expect(spec).toMatchObject({ name: 'config_NVIDIA-A30', hosts: null });
    const { runs } = await core.handlers['studies.plan']({ spec });
    expect(runs).toHaveLength(4);
    expect(runs.map(({ leftOut }) => leftOut?.slice(0, 21) ?? null)).toEqual([
      expect.stringMatching(/^format: /),
      expect.stringMatching(/^format: /),
      'configure.instanceKin',
      'configure.instanceKin',
    ]);
  });

  it('is refused where it names no preset, and where no run of it is possible', async () => {
    expect(await rejection(read('matrix: { precision: [fp32] }'))).toMatchObject({
      code: 'input-invalid',
      message: 'The file does not name a preset',
    });
    const spec = await read('matrix: { preset: [resnet50], format: [trt] }\nprofile: quick');
    expect(await rejection(core.handlers['studies.start']({ spec }))).toMatchObject({
      code: 'input-invalid',
      message: expect.stringContaining('None of its runs is possible') as string,
    });
    expect(await core.handlers['studies.list'](undefined)).toEqual([]);
  });

  it('whose runs this machine cannot do is a failed study, with the reason of each', async () => {
    const spec = await read('matrix: { preset: [resnet50], precision: [fp32, fp16] }\nprofile: quick');
    await core.handlers['studies.start']({ spec });
    await until('it has ended', async () => {
      const [study] = await core.handlers['studies.list'](undefined);
      return study?.state === 'failed';
    });
    const list = await core.handlers['studies.list'](undefined);
    expect(list).toMatchObject([{ name: 'night', sentence: '0 of 2 runs complete, 2 not run' }]);
    const { rows } = await core.handlers['studies.get']({ name: 'night' });
    expect(rows.map(({ state, runId }) => [state, runId])).toEqual(Array(2).fill(['Not run', null]));
    expect(rows[0]?.reason).not.toBeNull();
  });
});

describe('a choice that is varied', () => {
  it('is one run per combination of its values, with everything else as it was', async () => {
    for (const { id } of await core.handlers['presets.list'](undefined)) {
      const spec = await core.handlers['presets.resolve']({ preset: id, overrides: {} });
      const choice = await core.handlers['spec.choice']({ spec });
      const text = varyText(choice, [
        { path: 'performance.batchSizes', values: '[1], [1, 2]' },
        { path: 'configure.instances', values: '1, 2' },
      ]);
      const study = await read(text, `${id}-varied.yaml`);
      const { trials } = study.strategy;
      expect(trials.map(({ axes }) => axes.map(({ value }) => value))).toEqual([
        ['1', '1'],
        ['1', '2'],
        ['1 2', '1'],
        ['1 2', '2'],
      ]);
      const last = await core.handlers['spec.resolve'](trials[3]?.choice ?? choice);
      expect(last).toEqual({
        ...spec,
        configure: { ...spec.configure, instances: 2 },
        performance: { ...spec.performance, batchSizes: [1, 2] },
      });
    }
  });

  it('says which field a value does not fit', async () => {
    const choice = { preset: 'resnet50', overrides: {} };
    const text = varyText(choice, [{ path: 'format', values: 'onnx, paper' }]);
    expect(await rejection(read(text))).toMatchObject({ code: 'input-invalid', where: 'format' });
  });

  it('takes how long measuring takes from the settings of each run', async () => {
    const text = varyText({ preset: 'resnet50', overrides: { model: { profile: 'quick' } } }, [
      { path: 'performance.measurementIntervalMs', values: '1000, 2000' },
    ]);
    const { seconds, runs } = await core.handlers['studies.plan']({ spec: await read(text) });
    expect(runs).toHaveLength(2);
    expect(seconds).toBeGreaterThan(0);
  });
});
