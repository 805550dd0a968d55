import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  baselineGpu,
  baselinesOf,
  defaultBaseline,
  publishedSchema,
  publishedValue,
} from '../../../main/contract/measured/baseline';
import { readPresets, readPublished, requirePreset } from '../../../main/presets/presets';
import { resolveSpec } from '../../../main/presets/resolve-spec';

const resources = join(process.cwd(), 'resources');
const presets = readPresets(resources);
const of = async (id: string) => {
  const published = await readPublished(resources, id);
  if (published === null) throw new Error(`nothing of ${id}`);
  return published;
};
const spec = (id: string, overrides: object) =>
  resolveSpec(requirePreset(presets, id).preset, { ...overrides });

describe('the published figures', () => {
  it.each([
    ['tft', 32, 688],
    ['fastpitch', 16, 160],
    ['wide-and-deep', 16, 328],
    ['resnet50', 8, 96],
    ['nnunet', 16, 88],
  ])('of %s are %i tables of %i rows, half of them of each scenario', async (id, tables, rows) => {
    const published = await of(id);
    expect(published.tables).toHaveLength(tables);
    expect(published.tables.reduce((sum, { levels }) => sum + levels.length, 0)).toBe(rows);
    expect(published.tables.filter(({ scenario }) => scenario === 'offline')).toHaveLength(tables / 2);
    expect(published.source.address).toContain('github.com/NVIDIA/DeepLearningExamples');
  });

  it('are of models, formats and precisions that the preset offers', async () => {
    for (const [id, { preset }] of presets) {
      for (const { format, precision } of (await of(id)).tables) {
        expect(preset.formats).toContain(format);
        expect(preset.precisions).toContain(precision);
      }
    }
  });

  it('are in inferences a second and milliseconds: a closed loop of c requests of b needs b · c / throughput', async () => {
    const ratios: number[] = [];
    for (const id of presets.keys()) {
      for (const { levels } of (await of(id)).tables) {
        for (const level of levels) {
          const avgMs = publishedValue(level, 'avgMs');
          const [batchSize, concurrency, inferencesPerSecond] = level;
          if (avgMs !== null) ratios.push((1000 * batchSize * concurrency) / inferencesPerSecond / avgMs);
        }
      }
    }
    expect(ratios).toHaveLength(1360);
    ratios.sort((a, b) => a - b);
    expect(ratios[680]).toBeCloseTo(1, 1);
    // A wrong unit or a wrong load would put whole tables at a thousand, or at a multiple.
    expect(ratios.filter((ratio) => ratio > 0.8 && ratio < 1.25).length / ratios.length).toBeGreaterThan(0.9);
  });

  it('have nothing where the document has nothing', async () => {
    const { tables } = await of('resnet50');
    const offline = tables.find(({ scenario, gpu }) => scenario === 'offline' && gpu === 'A40');
    const [first] = offline?.levels ?? [];
    if (first === undefined) throw new Error('no level');
    expect(publishedValue(first, 'inferencesPerSecond')).toBe(491.5);
    expect(publishedValue(first, 'p50Ms')).toBeNull();
    expect(publishedValue(first, 'p99Ms')).toBe(2.126);
  });
});

describe('a baseline', () => {
  it("is of the run's model and data set; those of its format and precision come first", async () => {
    const published = await of('tft');
    const electricity = baselinesOf(published, spec('tft', { format: 'ts-trace', precision: 'fp16' }));
    expect(electricity).toHaveLength(8);
    expect(electricity.slice(0, 4).every(({ key }) => key.endsWith('/ts-trace/fp16'))).toBe(true);
    expect(electricity[0]).toMatchObject({
      label: 'published, A30, TorchScript (traced) fp16',
      title: 'NVIDIA A30, TorchScript (traced) fp16 (electricity)',
    });
    const traffic = baselinesOf(published, spec('tft', { model: { args: { data_set: 'traffic' } } }));
    expect(traffic[0]?.online?.dataset).toBe('traffic');
    expect(traffic[0]?.offline?.levels).not.toEqual(electricity[0]?.offline?.levels);
    expect(baselinesOf(await of('resnet50'), spec('tft', {}))).toEqual([]);
    expect(baselinesOf(null, spec('tft', {}))).toEqual([]);
  });

  it("is none for a model of the engineer's own, whatever its name", async () => {
    const own = spec('resnet50', {});
    const source = {
      kind: 'onnx',
      path: '/m.onnx',
      title: '',
      inputs: [],
      outputs: [],
      batched: true,
      externalFiles: [],
    } as const;
    const model = { ...own.model, source: { ...source, inputs: [], outputs: [], externalFiles: [] } };
    expect(baselinesOf(await of('resnet50'), { ...own, model })).toEqual([]);
  });

  it('is picked by the GPU chosen, else by the one that measured the full model', async () => {
    const gpu = { engine: { kind: 'docker', gpus: ['all'] }, model: { profile: 'full' } };
    expect(baselineGpu(spec('resnet50', { targetGpu: 'T4' }), ['NVIDIA A40'])).toBe('T4');
    expect(baselineGpu(spec('resnet50', gpu), ['NVIDIA A40'])).toBe('A40');
    expect(baselineGpu(spec('resnet50', gpu), ['NVIDIA H200'])).toBeNull();
    expect(baselineGpu(spec('resnet50', { model: { profile: 'full' } }), ['NVIDIA A40'])).toBeNull();
    const chosen = spec('resnet50', { targetGpu: 'T4', precision: 'fp16' });
    const all = baselinesOf(await of('resnet50'), chosen);
    expect(defaultBaseline(all, chosen, [])?.key).toBe('T4/onnx/fp16');
    // Nothing is published of fp32, and nothing else is taken for it.
    const other = spec('resnet50', { targetGpu: 'T4' });
    expect(defaultBaseline(baselinesOf(await of('resnet50'), other), other, [])).toBeNull();
  });
});

describe('a file of published figures', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'published-'));
    await mkdir(join(folder, 'baselines'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('that is missing is no figures, and one that is wrong is refused naming the place', async () => {
    expect(await readPublished(folder, 'nothing')).toBeNull();
    const good = await of('nnunet');
    const [table] = good.tables;
    if (table === undefined) throw new Error('no table');
    for (const [text, message] of [
      ['{', 'is not JSON'],
      [JSON.stringify({ ...good, preset: 'tft' }), 'it is of "tft"'],
      [JSON.stringify({ ...good, columns: ['p99Ms'] }), 'columns'],
      [JSON.stringify({ ...good, tables: [{ ...table, levels: [[1, 1, 2]] }] }), 'tables.0.levels.0'],
      [JSON.stringify({ ...good, tables: [{ ...table, gpu: 'H200' }] }), 'tables.0.gpu'],
    ] as const) {
      await writeFile(join(folder, 'baselines', 'nnunet.json'), text);
      await expect(readPublished(folder, 'nnunet')).rejects.toThrow(message);
    }
    expect(publishedSchema.safeParse(good).success).toBe(true);
  });
});

/** The tables "Mnemonic used in scripts" of the documents; one without such a table names its formats in its text. */
const documented: Readonly<Record<string, readonly string[]>> = {
  fastpitch: ['ts-trace', 'ts-script', 'onnx', 'trt'],
  'wide-and-deep': ['tf-savedmodel', 'tf-trt', 'onnx', 'trt'],
  nnunet: ['ts-trace', 'ts-script', 'onnx', 'trt'],
};

it.each(Object.entries(documented))('offers the documented formats of %s, or says why not', (id, formats) => {
  const { preset } = requirePreset(presets, id);
  const reasons = new Map((preset.notOffered ?? []).map(({ format, reason }) => [format, reason]));
  for (const format of formats) {
    const offered = (preset.formats as readonly string[]).includes(format);
    expect([id, format, offered]).toEqual([id, format, !reasons.has(format)]);
  }
  for (const [format, reason] of reasons) {
    expect(formats).toContain(format);
    expect(reason).toMatch(/^[A-Z].{40,}\.$/);
  }
});
