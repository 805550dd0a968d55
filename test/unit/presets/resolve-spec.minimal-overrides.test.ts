import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Preset } from '../../../main/contract/run/preset';
import {
  formats,
  precisions,
  publishedGpus,
  type RunSpec,
  sourceSchema,
} from '../../../main/contract/run/run-spec';
import { mergeTrees } from '../../../main/contract/trees';
import { filePreset } from '../../../main/own/own-preset';
import { readPresets } from '../../../main/presets/presets';
import { layerSpec, minimalOverrides, parseSpec } from '../../../main/presets/resolve-spec';

type Tree = Readonly<Record<string, unknown>>;

const published = [...readPresets(join(process.cwd(), 'resources')).values()].map(({ preset }) => preset);
const source = sourceSchema.parse({
  kind: 'onnx',
  path: '/models/scene.onnx',
  title: 'scene',
  inputs: [{ name: 'x', datatype: 'FP32', shape: [-1, 3, 8, 8], sample: [3, 8, 8] }],
  outputs: [{ name: 'y', datatype: 'FP32', shape: [-1, 5] }],
  batched: true,
  opset: 17,
});
const own = filePreset(source);
/** Every preset with what a choice of it must hold. */
const cases: readonly (readonly [id: string, preset: Preset, base: Tree])[] = [
  ...published.map((preset) => [preset.id, preset, {}] as const),
  ['an own model', own, { model: { source } }],
];

const specOf = (preset: Preset, overrides: Tree): RunSpec => parseSpec(layerSpec(preset, overrides));

function tried(preset: Preset, overrides: Tree): RunSpec | null {
  try {
    return specOf(preset, overrides);
  } catch {
    return null;
  }
}

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const choices = fc.record({
  precision: maybe(fc.constantFrom(...precisions)),
  format: maybe(fc.constantFrom(...formats)),
  targetGpu: maybe(fc.constantFrom(...publishedGpus)),
  engine: maybe(
    fc.constantFrom<Tree>(
      { kind: 'local' },
      { kind: 'local', httpPort: 8000 },
      { kind: 'docker' },
      { kind: 'docker', gpus: ['all'] },
      { kind: 'docker', images: 'ngc', release: '24.01' },
      { kind: 'remote', url: 'http://triton.example:8000' },
    ),
  ),
  model: maybe(
    fc.record({
      profile: maybe(fc.constantFrom('quick', 'full')),
      checkpoint: maybe(fc.constant('/weights.pt')),
      dataset: maybe(fc.constant('/data')),
    }),
  ),
  configure: maybe(
    fc.record({
      maxBatchSize: maybe(fc.constantFrom(0, 1, 8, 64)),
      instances: maybe(fc.constantFrom(1, 4)),
      configPatch: maybe(fc.constantFrom<Tree>({}, { responseCache: { enable: true } })),
    }),
  ),
  accuracy: maybe(
    fc.record({
      atol: maybe(fc.constantFrom({ '*': 0.25 }, { 'OUTPUT.0': 0.5 })),
      allowUnverified: maybe(fc.boolean()),
    }),
  ),
  performance: maybe(
    fc.record({
      concurrency: maybe(fc.constantFrom('formula', [1, 2])),
      onlineBatchSize: maybe(fc.constant(4)),
      loadTool: maybe(fc.constantFrom('native', 'perf_analyzer')),
    }),
  ),
});

/** The tree without what is undefined, as it comes from a file or a draft. */
const plain = (tree: unknown): Tree => JSON.parse(JSON.stringify(tree)) as Tree;

/** Another value of the same kind; text is left to the choices above. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'number')) return [...value, 3];
  return undefined;
}

function leaves(tree: Tree, to: readonly string[] = []): (readonly [path: string[], value: unknown])[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? leaves(value as Tree, [...to, key])
      : [[[...to, key], value] as const],
  );
}

describe.each(cases)('what a run of %s changes of the defaults', (_id, preset, base) => {
  it('leads to its very specification', () => {
    fc.assert(
      fc.property(choices, (choice) => {
        const spec = tried(preset, mergeTrees(plain(choice), base));
        fc.pre(spec !== null);
        expect(specOf(preset, minimalOverrides(preset, spec))).toEqual(spec);
      }),
      { numRuns: 60 },
    );
  });

  it('is nothing for a run of the defaults', () => {
    expect(minimalOverrides(preset, specOf(preset, base))).toEqual(base);
  });

  it('is each field that was changed, and only that', () => {
    const defaults = specOf(preset, base);
    let fields = 0;
    for (const [path, value] of leaves({ ...defaults })) {
      const chosen = [...path].reverse().reduce<unknown>((below, key) => ({ [key]: below }), other(value));
      const spec = other(value) === undefined ? null : tried(preset, mergeTrees(chosen as Tree, base));
      if (spec === null || path[1] === 'source') continue;
      fields += 1;
      expect(minimalOverrides(preset, spec)).toEqual(mergeTrees(base, chosen as Tree));
    }
    expect(fields).toBeGreaterThan(25);
  });

  it('brings the tolerances of another precision', () => {
    const other = mergeTrees(minimalOverrides(preset, specOf(preset, base)), { precision: 'fp16' });
    expect(specOf(preset, other).accuracy).toEqual(
      specOf(preset, mergeTrees(base, { precision: 'fp16' })).accuracy,
    );
  });

  it('keeps a tolerance that was chosen', () => {
    const chosen = mergeTrees(base, { accuracy: { atol: { '*': 0.125 } } });
    expect(minimalOverrides(preset, specOf(preset, chosen))).toEqual(chosen);
  });
});

describe('what a run changes of the defaults', () => {
  const [resnet50] = published.filter(({ id }) => id === 'resnet50') as [Preset];

  it('is everything where the preset does not lead to a specification', () => {
    const spec = specOf(resnet50, {});
    const profiles = Object.fromEntries(
      Object.entries(resnet50.profiles).filter(([name]) => name !== 'quick'),
    );
    const kept = minimalOverrides({ ...resnet50, profiles }, spec);
    expect(specOf(resnet50, kept)).toEqual(spec);
    expect(kept['performance']).toEqual(spec.performance);
  });

  it('has the kind of an engine with its fields, and beside a published GPU', () => {
    const ported = { engine: { kind: 'local', httpPort: 8000 } };
    expect(minimalOverrides(resnet50, specOf(resnet50, ported))).toEqual(ported);
    const onGpu = { targetGpu: 'A100', engine: { kind: 'local' } };
    expect(minimalOverrides(resnet50, specOf(resnet50, onGpu))).toEqual(onGpu);
  });
});
