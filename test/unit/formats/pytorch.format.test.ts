import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { releaseNeeds } from '../../../main/engine/docker/run-images';
import { formatOf } from '../../../main/formats/formats';
import { fittingRelease } from '../../../main/machine/fitting-release';
import { readReleases } from '../../../main/machine/releases';
import { readPreset } from '../../../main/presets/presets';
import { resolveSpec } from '../../../main/presets/resolve-spec';
import { importConfig, refusalOf } from '../../../main/specification/import-spec';
import { toolkitWords } from '../../../main/toolkit/toolkit';
import { exportCommand } from '../../../main/toolkit/verb-commands';

const resources = join(process.cwd(), 'resources');
const loaded = await readPreset(join(resources, 'models', 'resnet50'));
const { preset } = loaded;
const onGpu = { kind: 'docker', gpus: ['all'] };
const oneByOne = { maxBatchSize: 1, batching: 'disabled' };
const chosen = (over: object) =>
  resolveSpec(preset, { format: 'pt2', performance: { batchSizes: [1] }, ...over });
const refusal = (over: object) => refusalOf(() => chosen(over));
const exported = (over: object) =>
  toolkitWords(
    exportCommand(
      { modelDir: '/m', framework: 'pyt', spec: chosen(over) },
      { dataset: '/d', checkpoint: '/w' },
      '/o',
    ),
  ).join(' ');

describe('the format pt2', () => {
  it('is compiled for the device that serves it', () => {
    expect(exported({})).toContain('--format pt2 --device cpu --output /o');
    expect(exported({ engine: onGpu, configure: oneByOne })).toContain('--device auto');
    expect(exported({ engine: onGpu, configure: { ...oneByOne, instanceKind: 'KIND_CPU' } })).toContain(
      '--device cpu',
    );
  });

  it('is served by the PyTorch backend as torch_aoti, from release 26.05, one sample at a time', () => {
    const part = { precision: 'fp32', accelerator: 'none', threads: 0, captureCudaGraph: false } as const;
    expect(formatOf('pt2').configPart({ ...part, backends: 'all' })).toEqual({
      backend: 'pytorch',
      platform: 'torch_aoti',
    });
    expect(refusal({ engine: { ...onGpu, release: '26.05' }, configure: oneByOne })).toBeNull();
    expect(refusal({ engine: { ...onGpu, release: '26.04' }, configure: oneByOne })).toContain(
      'Triton release 26.04 does not serve PyTorch package (pt2); 26.05 is the first release that does',
    );
    expect(refusal({ engine: onGpu, configure: { maxBatchSize: 8 } })).toContain('up to batch size 1, not 8');
    expect(refusal({ precision: 'fp16' })).toContain('compiled from FP32 weights');
  });

  it('is served by the Python backend on the CPU, in batches', () => {
    expect(refusal({ configure: { maxBatchSize: 8 } })).toBeNull();
  });

  it('has no release on a GPU that the releases which serve it do not support', async () => {
    const releases = await readReleases(resources);
    const gpu = { name: 'Tesla V100-SXM2-32GB', computeCapability: '7.0', architecture: 'Volta' };
    const place = { gpus: [gpu as never], driver: '580.65.06' };
    const needs = (format: 'pt2' | 'onnx') => ({ releases, needs: releaseNeeds({}, format) });
    expect(fittingRelease(place, needs('onnx')).kind).toBe('fits');
    expect(fittingRelease(place, needs('pt2')).kind).toBe('none');
  });

  it('is what a config.pbtxt of its platform is for', () => {
    const text = 'backend: "pytorch"\nplatform: "torch_aoti"\nmax_batch_size: 1\n';
    expect(importConfig(loaded, text).choice?.overrides).toMatchObject({ format: 'pt2' });
  });
});
