import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportedFormat, formatOf } from '../../../main/formats/formats';
import { readPreset } from '../../../main/presets/presets';
import { layerSpec, parseSpec, resolveSpec } from '../../../main/presets/resolve-spec';
import { ruleFindings } from '../../../main/presets/spec-rules';
import { runFiles } from '../../../main/store/run-files';
import { runFolder } from '../../../main/store/run-folder';
import { toolkitWords } from '../../../main/toolkit/toolkit';
import { buildPlanCommand, exportCommand } from '../../../main/toolkit/verb-commands';

const { preset } = await readPreset(join(process.cwd(), 'resources', 'models', 'nnunet'));
const gpu = { kind: 'docker', gpus: ['all'] };
const choice = (over = {}) => ({ model: { profile: 'full' }, format: 'trt', engine: gpu, ...over });

describe('the format trt', () => {
  it('is exported as ONNX and stands as a plan in the repository', () => {
    expect(exportedFormat('trt')).toBe('onnx');
    expect(exportedFormat('ts-trace')).toBe('ts-trace');
    const files = runFiles(runFolder('/run'), resolveSpec(preset, choice()));
    expect(files.exported).toMatch(/export\/model\.onnx$/);
    expect(files.converted).toMatch(/convert\/model\.plan$/);
    const part = { backends: 'all', precision: 'fp16', accelerator: 'none', threads: 0 } as const;
    expect(formatOf('trt').configPart({ ...part, captureCudaGraph: false })).toEqual({
      platform: 'tensorrt_plan',
    });
    expect(formatOf('trt').configPart({ ...part, captureCudaGraph: true }).optimization).toEqual({
      cuda: { graphs: true },
    });
  });

  it('is built by the exact command', () => {
    const spec = resolveSpec(preset, choice({ precision: 'fp16' }));
    const source = { modelDir: '/m', framework: 'pyt', spec } as const;
    const paths = { dataset: '/data', checkpoint: '/w.pt' };
    const exported = toolkitWords(exportCommand(source, paths, '/model.onnx')).join(' ');
    expect(exported).toContain('--format onnx --opset 12 --output /model.onnx');
    const words = toolkitWords(
      buildPlanCommand(source, '/data', '/model.onnx', '/model.plan', 'img@sha256:1'),
    );
    expect(words.join(' ')).toMatch(/^-m toolkit build-plan --model-dir \/m --profile full /);
    expect(words.join(' ')).toContain(
      '--dataset /data --batch-size 4 --precision fp16 --input /model.onnx --output /model.plan ' +
        '--max-batch-size 4 --workspace-bytes 4294967296 --image img@sha256:1',
    );
  });

  it.each([
    [{ engine: { kind: 'local' } }, 'format'],
    [{ engine: { kind: 'docker' } }, 'format'],
    [{ engine: { kind: 'docker', images: 'ngc' } }, 'format'],
    [{ engine: { kind: 'docker', images: 'cpu', gpus: ['all'] } }, 'format'],
    [{ engine: { kind: 'remote', url: 'http://localhost:8000' } }, 'format'],
    [{ configure: { instanceKind: 'KIND_CPU' } }, 'configure.instanceKind'],
    [{ configure: { backendAccelerator: 'trt' } }, 'configure.backendAccelerator'],
    [{ configure: { backendAccelerator: 'amp' } }, 'configure.backendAccelerator'],
  ])('refuses %j before anything starts', (over, field) => {
    const problems = ruleFindings(preset, parseSpec(layerSpec(preset, choice(over)))).filter(
      ({ severity }) => severity === 'problem',
    );
    expect(problems.map((found) => found.field)).toEqual([field]);
    expect(problems[0]?.remedy).not.toBe('');
    expect(() => resolveSpec(preset, choice(over))).toThrow(/TensorRT|TensorFlow/);
  });

  it('captures CUDA graphs without an accelerator, and is refused nothing on a GPU', () => {
    const spec = resolveSpec(preset, choice({ configure: { captureCudaGraph: true } }));
    expect(ruleFindings(preset, spec)).toEqual([]);
  });
});
