import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SoakBlock } from '../../../../main/contract/study/soak';
import { soakAnswer } from '../../../../main/domain/study/soak/soak-answer';
import { RisingCount, SampleKeeper, watchSoak } from '../../../../main/studies/soak/watch-soak';
import { reading, soakStrategy } from '../../../support/soaked';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-soak-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const day = 24 * 3600;
const mebibyte = 2 ** 20;

describe('SampleKeeper', () => {
  it('keeps 24 hours of readings in little memory and on little disk', async () => {
    const file = join(dir, 'samples.jsonl');
    const blocks: SoakBlock[] = [];
    const keeper = new SampleKeeper({
      ...{ blockMs: 300_000, file },
      onBlock: (block) => Promise.resolve(void blocks.push(block)),
    });
    const before = process.memoryUsage();
    let most = 0;
    const models = Array.from({ length: 8 }, (_unused, at) => `model-${at}`);
    for (let second = 0; second <= day; second += 5) {
      const rss = (at: number) => 1e9 + 1000 * ((second * 7 + at * 13) % 101) + (at === 3 ? 100 * second : 0);
      const readings = [
        reading({ rss: rss(99) }),
        ...models.map((model, at) => reading({ role: 'stub', model, rss: rss(at), gpu: 2e9 })),
        reading({ role: 'client', rss: rss(50) }),
      ];
      await keeper.add({ atMs: 1000 * second, life: 1, requests: 50 * second, reloads: 0, readings });
      const { heapUsed, arrayBuffers } = process.memoryUsage();
      most = Math.max(most, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers);
    }
    await keeper.flush();
    const { size } = await stat(file);
    const journal = Buffer.byteLength(JSON.stringify(blocks));
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(day / 5 + 2);
    expect(blocks).toHaveLength(day / 300);
    expect(size + journal).toBeLessThan(50 * mebibyte);
    expect(most).toBeLessThan(200 * mebibyte);
    const answer = soakAnswer(soakStrategy(), { blocks, slices: [] }, null);
    expect(answer.culprits.map(({ row }) => row.key)).toEqual(['stub model-3']);
    expect(answer.culprits[0]?.row.growth.rss.perHour?.value).toBeCloseTo(100 * 3600, -4);
  });

  it('writes no block of one reading', async () => {
    const blocks: SoakBlock[] = [];
    const keeper = new SampleKeeper({
      ...{ blockMs: 1000, file: join(dir, 'samples.jsonl') },
      onBlock: (block) => Promise.resolve(void blocks.push(block)),
    });
    await keeper.add({ atMs: 0, life: 1, requests: null, reloads: 0, readings: [reading({})] });
    await keeper.flush();
    expect(blocks).toEqual([]);
  });
});

describe('RisingCount', () => {
  it('counts on after the server began anew, and over what it does not know', () => {
    const count = new RisingCount(1000);
    count.begin(40);
    expect([50, null, 70, 5, 6].map((now) => count.add(now))).toEqual([1010, 1010, 1030, 1035, 1036]);
    expect(new RisingCount(null).add(null)).toBeNull();
    expect(new RisingCount(null).add(7)).toBe(7);
  });
});

describe('watchSoak', () => {
  it('leaves out what cannot be read once, and adds the load generator itself', async () => {
    const end = new AbortController();
    const blocks: SoakBlock[] = [];
    const file = join(dir, 'samples.jsonl');
    let turns = 0;
    await watchSoak({
      server: {
        readings: () => {
          turns += 1;
          if (turns === 5) end.abort();
          return turns === 2 ? Promise.reject(new Error('gone')) : Promise.resolve([reading({ rss: turns })]);
        },
        requests: () => Promise.resolve(10 * turns),
      },
      soak: { readMs: 1 },
      keeper: new SampleKeeper({
        ...{ blockMs: 60_000, file },
        onBlock: (block) => Promise.resolve(void blocks.push(block)),
      }),
      ...{ life: 1, elapsedMs: () => 100 * turns, reloads: () => 3, requests: new RisingCount(null) },
      signal: end.signal,
    });
    expect(blocks).toHaveLength(1);
    expect(blocks[0]).toMatchObject({ fromMs: 100, toMs: 400, requests: 40, reloads: 3, life: 1 });
    expect(blocks[0]?.readings.map(({ role }) => role)).toEqual(['server', 'client']);
    expect(blocks[0]?.readings[0]?.rss).toBe(3);
    const lines = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown[]);
    expect(lines.map(([atMs]) => atMs)).toEqual([100, 300, 400]);
    const [first, own] = (lines[0]?.[4] ?? []) as unknown[][];
    expect(first).toEqual(['server', null, 1, 1, null, 900e6, 1e6, null, 40, 60]);
    expect(own?.slice(0, 3)).toEqual(['client', null, 1]);
  });
});
