import { describe, expect, it } from 'vitest';
import { getAt } from '../../../../../../main/contract/trees';
import { resolveSpec } from '../../../../../../main/presets/resolve-spec';
import type { FieldContext } from '../../../../../../renderer/views/new-deployment/fields/field';
import {
  notOfferedText,
  servedFiles,
} from '../../../../../../renderer/views/new-deployment/simple/served-files';
import { resnet50 } from '../../../wizard/preset';

const contextOf = (engine: object): FieldContext => {
  const spec = { ...resolveSpec(resnet50, {}), engine };
  return { preset: resnet50, presets: [], machine: null, value: (...keys) => getAt(spec, keys) };
};

describe('pairs of format and precision', () => {
  it('are those of the preset, each refused where it cannot be served', () => {
    const files = servedFiles(contextOf({ kind: 'local' }));
    expect(files.map(({ value }) => value)).toEqual(
      ['onnx', 'ts-trace', 'ts-script', 'pt2', 'trt'].flatMap((format) => [
        `${format} fp32`,
        `${format} fp16`,
      ]),
    );
    const refused = (of: typeof files) => of.filter(({ why }) => why !== undefined).map(({ value }) => value);
    expect(refused(files)).toEqual(['pt2 fp16', 'trt fp32', 'trt fp16']);
    expect(refused(servedFiles(contextOf({ kind: 'docker', gpus: ['all'] })))).toEqual(['pt2 fp16']);
  });

  it('judge the precision under their own format, not under the chosen one', () => {
    const preset = { ...resnet50, formats: ['onnx', 'tf-savedmodel'] as const };
    const context = { ...contextOf({ kind: 'local' }), preset: { ...preset, formats: [...preset.formats] } };
    expect(servedFiles(context).filter(({ why }) => why !== undefined)).toMatchObject([
      { value: 'tf-savedmodel fp16' },
    ]);
  });

  it('are followed by what the document has and the workbench does not', () => {
    const notOffered = [{ format: 'tf-trt', title: 'TF-TRT', reason: 'Gone.' }];
    expect(notOfferedText({ preset: { ...resnet50, notOffered } })).toEqual(['Not available: TF-TRT. Gone.']);
  });
});
