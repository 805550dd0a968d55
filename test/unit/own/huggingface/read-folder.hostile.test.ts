import type * as ChildProcess from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Tokenizers from '@huggingface/tokenizers';
import { describe, expect, it, vi } from 'vitest';
import { toWire } from '../../../../main/contract/errors';
import { fileLimits } from '../../../../main/contract/reader-limits';
import { sourceSchema } from '../../../../main/contract/run/run-spec';
import { openModel } from '../../../../main/own/open-model';
import { putHostile } from '../../../support/hostile-folders';
import { putHuggingFace } from '../../../support/huggingface-folder';
import { useModelBench } from '../../../support/model-bench';

const built = vi.hoisted(() => ({ count: 0 }));
// Counted and still themselves: files that follow share what was imported here.
vi.mock('@huggingface/tokenizers', async (original) => {
  const real = await original<typeof Tokenizers>();
  class Counted extends real.Tokenizer {
    constructor(...given: ConstructorParameters<typeof real.Tokenizer>) {
      built.count += 1;
      super(...given);
    }
  }
  return { ...real, Tokenizer: Counted };
});
const started = vi.hoisted(() => ({ count: 0 }));
vi.mock('node:child_process', async (original) => {
  const real = await original<typeof ChildProcess>();
  const counted =
    <Given extends unknown[], Result>(act: (...given: Given) => Result) =>
    (...given: Given): Result => {
      started.count += 1;
      return act(...given);
    };
  return { ...real, spawn: counted(real.spawn as (...given: unknown[]) => unknown) };
});

const bench = useModelBench();
const { jsonBytes, headerBytes, cardBytes } = fileLimits.huggingFace;

/** Bytes that this process has read so far, as Linux counts them. */
const readSoFar = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

const turns = 1000;

describe('a thousand hostile folders', () => {
  it('are opened or refused within the limits of the reader, and nothing of them runs', async () => {
    const folder = join(bench().dir, 'hostile');
    await writeFile(join(bench().dir, 'elsewhere.json'), '{"model_type":"bert"}');
    const counts = { opened: 0, refused: 0 };
    for (let turn = 0; turn < turns; turn += 1) {
      putHostile(folder, turn);
      const before = readSoFar();
      const found = await openModel({ path: folder }, bench().tools()).then(
        ({ choice, notes }) => ({ choice, notes }),
        (caught: unknown) => toWire(caught),
      );
      const at = `folder ${turn}: ${JSON.stringify(found).slice(0, 500)}`;
      expect(readSoFar() - before, at).toBeLessThan(jsonBytes + headerBytes + cardBytes);
      expect(JSON.stringify(found).length, at).toBeLessThan(20_000);
      if ('code' in found) {
        expect(['model-folder-invalid', 'model-file-invalid'], at).toContain(found.code);
        expect(found.remedy, at).not.toBe('');
        counts.refused += 1;
      } else {
        const { model } = (found.choice?.overrides ?? {}) as { model?: { source: unknown } };
        expect(sourceSchema.safeParse(model?.source).error, at).toBeUndefined();
        counts.opened += 1;
      }
    }
    expect([existsSync(bench().executed), started.count, built.count]).toEqual([false, 0, 0]);
    expect(counts.opened).toBeGreaterThan(100);
    expect(counts.refused).toBeGreaterThan(300);
  });
});

it('a folder of more entries than are counted is refused before they are read', async () => {
  const folder = await putHuggingFace(bench());
  const names = Array.from({ length: fileLimits.huggingFace.files + 1 }, (_, at) => `l${at}`);
  for (const name of names) symlinkSync('x', join(folder, name));
  await expect(openModel({ path: folder }, bench().tools())).rejects.toThrow('holds more than 5000 entries');
});

it.each([
  ['missing', () => Promise.resolve()],
  ['a link that leads out of the folder', (place: string) => symlink('/etc', place)],
  ['not a folder', (place: string) => writeFile(place, '')],
])('modules of sentence-transformers whose folder is %s are refused', async (what, make) => {
  const st = 'sentence_transformers.models';
  const modules = [
    { path: '', type: `${st}.Transformer` },
    { path: '1_Pooling', type: `${st}.Pooling` },
  ];
  const folder = await putHuggingFace(bench(), { files: { 'modules.json': JSON.stringify(modules) } });
  await make(join(folder, '1_Pooling'));
  await expect(openModel({ path: folder }, bench().tools())).rejects.toThrow(`1_Pooling is ${what}`);
});

it('samples that no request could hold are refused', async () => {
  const config = {
    ...{ model_type: 'whisper', architectures: ['WhisperForConditionalGeneration'] },
    ...{ num_mel_bins: 1_048_576, max_source_positions: 16_777_216 },
  };
  const folder = await putHuggingFace(bench(), { config });
  await expect(openModel({ path: folder }, bench().tools())).rejects.toThrow('which is more than');
});
