import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Accelerator } from '../../../main/contract/run/run-spec';
import { tfSavedmodelFormat as format } from '../../../main/formats/tf-savedmodel.format';
import { parseReleases } from '../../../main/machine/releases';

const part = (accelerator: Accelerator, more = {}) =>
  format.configPart({
    backends: 'all',
    precision: 'fp32',
    accelerator,
    threads: 0,
    captureCudaGraph: false,
    ...more,
  });
const accelerated = (accelerator: Accelerator) =>
  part(accelerator).optimization?.executionAccelerators?.gpuExecutionAccelerator;

describe('the format tf-savedmodel', () => {
  it("is a folder that Triton's TensorFlow backend serves, accelerated as Triton documents", () => {
    expect(format.fileName).toBe('model.savedmodel');
    expect(part('none')).toEqual({ platform: 'tensorflow_savedmodel' });
    expect(part('cuda')).toEqual(part('none'));
    expect(accelerated('amp')).toEqual([{ name: 'auto_mixed_precision' }]);
    expect(accelerated('trt')).toEqual([{ name: 'tensorrt', parameters: { precision_mode: 'FP32' } }]);
    expect(part('none', { threads: 3 }).parameters).toEqual({
      TF_NUM_INTRA_THREADS: { stringValue: '3' },
      TF_NUM_INTER_THREADS: { stringValue: '1' },
    });
  });

  it('is served by the shim on CPU, in the environment with TensorFlow', () => {
    const choice = { backends: 'python', precision: 'fp32', accelerator: 'none' } as const;
    expect(format.servedBy(choice)).toEqual({ ok: true, serving: 'shim', shimFolder: 'savedmodel' });
    expect(format.shimFramework).toBe('tf');
    expect(part('none', { backends: 'python' }).parameters?.['model_filename']).toEqual({
      stringValue: 'model.savedmodel',
    });
    expect(format.servedBy({ ...choice, accelerator: 'amp' }).ok).toBe(false);
  });

  it('has no fp16 of its own', () => {
    for (const backends of ['python', 'all'] as const) {
      const refused = format.servedBy({ backends, precision: 'fp16', accelerator: 'none' });
      expect(refused).toMatchObject({ ok: false, field: 'precision' });
    }
  });

  it('knows the last release with its backend as the table of releases does', async () => {
    const text = await readFile(join(process.cwd(), 'resources', 'images', 'releases.yaml'), 'utf8');
    expect(format.newestNgcRelease).toBe(parseReleases(text).tensorflowBackend.newestRelease);
  });
});
