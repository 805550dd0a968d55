import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportedFormat, formatOf, tensorPrecisionOf } from '../../../main/formats/formats';
import { modelConfigOf } from '../../../main/formats/model-config-of';
import { readPreset } from '../../../main/presets/presets';
import { layerSpec, parseSpec, resolveSpec } from '../../../main/presets/resolve-spec';
import { atPrecision, signatureOf } from '../../../main/presets/signature';
import { ruleFindings } from '../../../main/presets/spec-rules';
import { runFolder } from '../../../main/store/run-folder';
import { runFiles } from '../../../main/store/step-paths';
import { toolkitWords } from '../../../main/toolkit/toolkit';
import {
  buildPlanCommand,
  exportCommand,
  inferTritonCommand,
  profileDataCommand,
} from '../../../main/toolkit/verb-commands';

const { preset } = await readPreset(join(process.cwd(), 'resources', 'models', 'nnunet'));
const published = await readPreset(join(process.cwd(), 'resources', 'models', 'resnet50'));
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

  it('keeps the tensors of the exported model at fp16, as published, in the configuration and in requests', () => {
    const { preset: resnet50 } = published;
    const spec = resolveSpec(resnet50, choice({ precision: 'fp16' }));
    const typesOf = (format: 'trt' | 'onnx') => {
      const signature = atPrecision(signatureOf(resnet50, spec), tensorPrecisionOf({ ...spec, format }));
      const config = modelConfigOf({ spec, signature, format: formatOf(format) });
      return [...config.input, ...config.output].map(({ dataType }) => dataType);
    };
    expect(typesOf('trt')).toEqual(['TYPE_FP32', 'TYPE_FP32']);
    expect(typesOf('onnx')).toEqual(['TYPE_FP16', 'TYPE_FP16']);
    const source = { modelDir: '/m', framework: 'pyt', spec } as const;
    const server = { grpcAddress: 'localhost:8001' };
    for (const command of [
      inferTritonCommand(source, '/data', server, '/out'),
      profileDataCommand(source, '/data', [], '/out'),
    ])
      expect(toolkitWords(command).join(' ')).toContain('--precision fp32');
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
