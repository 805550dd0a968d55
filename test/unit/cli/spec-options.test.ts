import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { readChoice, readTargetGpu } from '../../../main/cli/spec-options';
import type { GpuFacts, GpuReport } from '../../../main/contract/machine';
import { createTestCore } from '../../support/test-core';

const report = (...names: readonly string[]): GpuReport =>
  ({
    gpus: names.map((name, index) => ({ name, uuid: `GPU-${index}` }) as GpuFacts),
    problem: names.length === 0 ? 'no driver' : null,
  }) as unknown as GpuReport;

async function read(option: string | undefined, overrides: object, ...names: readonly string[]) {
  const notes: string[] = [];
  const gpu = await readTargetGpu(
    option,
    { ...overrides },
    { gpus: () => Promise.resolve(report(...names)), note: (line) => notes.push(line) },
  );
  return { gpu, notes };
}
const full = { model: { profile: 'full' }, engine: { kind: 'docker', gpus: ['all'] } };

describe('--gpu', () => {
  it('names the GPU in any case, none, or that of this machine', async () => {
    expect(await read('a30', {})).toEqual({ gpu: 'A30', notes: [] });
    expect(await read('none', full, 'NVIDIA A30')).toEqual({ gpu: null, notes: [] });
    expect((await read('auto', {}, 'Tesla T4', 'NVIDIA A30')).gpu).toBe('T4');
  });

  it('is refused where nothing is published, naming what is', async () => {
    for (const [option, names, message] of [
      ['H200', [], 'No defaults are published for a GPU "H200"'],
      ['auto', ['NVIDIA H200'], "No defaults are published for this machine's NVIDIA H200"],
      ['auto', [], 'No NVIDIA GPU detected on this machine: no driver'],
    ] as const) {
      await expect(read(option, {}, ...names)).rejects.toMatchObject({
        code: 'input-invalid',
        message,
        where: '--gpu',
        remedy: 'Choose V100, T4, A100, A40, A30, auto or none.',
      });
    }
  });

  it('is detected for the full model in containers with GPUs, and said', async () => {
    const { gpu, notes } = await read(undefined, full, 'NVIDIA A40');
    expect(gpu).toBe('A40');
    expect(notes).toEqual(['NVIDIA A40: the defaults published for A40 are used; --gpu none skips them.']);
    const second = { ...full, engine: { kind: 'docker', gpus: ['GPU-1'] } };
    expect((await read(undefined, second, 'NVIDIA A40', 'Tesla T4')).gpu).toBe('T4');
  });

  it.each([
    ['another GPU', full, 'NVIDIA H200'],
    ['the small model', { ...full, model: {} }, 'NVIDIA A40'],
    ['the local engine', { model: full.model }, 'NVIDIA A40'],
    ['no GPU given', { ...full, engine: { kind: 'docker' } }, 'NVIDIA A40'],
    ['images for the CPU', { ...full, engine: { ...full.engine, images: 'cpu' } }, 'NVIDIA A40'],
    ['one named in the specification', { ...full, targetGpu: 'T4' }, 'NVIDIA A40'],
  ])('is not detected for %s', async (_what, overrides, name) => {
    expect(await read(undefined, overrides, name)).toEqual({ gpu: null, notes: [] });
  });
});

describe('the model of a command', () => {
  it.each(['nothere.onnx', 'models/nothere', './nothere', 'nothere.yaml'])(
    '%s is a path: it is missing as one',
    async (name) => {
      const home = await mkdtemp(join(tmpdir(), 'twb-options-'));
      const core = await createTestCore(home);
      try {
        await expect(readChoice(core, name, {})).rejects.toMatchObject({
          code: 'input-invalid',
          message: expect.stringContaining('nothere') as string,
          where: resolve(name),
        });
        await expect(readChoice(core, name, {})).rejects.toThrow('does not exist');
      } finally {
        await core.close();
        await rm(home, { recursive: true });
      }
    },
  );
});

describe('the notes of a command with several entries', () => {
  it('are printed once', async () => {
    const home = await mkdtemp(join(tmpdir(), 'twb-options-'));
    await writeFile(join(home, 'settings.json'), '{"deployment.p99BudgetMs": "soon"}');
    const core = await createTestCore(home);
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    try {
      const noted = new Set<string>();
      await readChoice(core, 'resnet50', {}, undefined, noted);
      await readChoice(core, 'resnet50', {}, undefined, noted);
      expect(stderr).toHaveBeenCalledTimes(1);
      await readChoice(core, 'resnet50', {});
      expect(stderr).toHaveBeenCalledTimes(2);
    } finally {
      stderr.mockRestore();
      await core.close();
      await rm(home, { recursive: true });
    }
  });
});
