import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadPoint } from '../../main/contract/measured/results';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { startTestTriton, type TestTriton } from '../support/triton';

let home: TestHome;
let triton: TestTriton;
beforeAll(async () => {
  home = await createTestHome();
  triton = await startTestTriton([
    {
      name: 'half',
      setUp: 'self.count = 0',
      execute: `self.count += 1
        time.sleep(0.002)
        if self.count % 2:
            raise ValueError("no luck")
        return values`,
      maxBatchSize: 8,
    },
    {
      name: 'nan',
      execute: `time.sleep(0.002)
        return values * float("nan")`,
      maxBatchSize: 8,
    },
    {
      name: 'echo',
      execute: `time.sleep(0.002)
        return values`,
      maxBatchSize: 8,
      outputElements: 16,
    },
  ]);
});
afterAll(async () => {
  await triton.stop();
  await home.remove();
});

/** What `perf` says to people, and its points. */
async function perf(...args: string[]) {
  const { code, stdout, stderr } = await cli(
    home.path,
    ...['perf', '--url', `http://${triton.httpAddress}`, '--grpc-url', triton.grpcAddress],
    ...['--measurement-interval-ms', '300', '--warmup-ms', '100', '--max-trials', '3'],
    ...['--stability-percentage', '500', '--json', ...args],
  );
  const [point] = (JSON.parse(stdout) as { points?: LoadPoint[] }).points ?? [];
  return { code, said: stderr, point };
}

describe('a model that fails requests', () => {
  it('every second time has no best level, the share is said, and the exit code is 3', async () => {
    const { code, said, point } = await perf('--model', 'half');
    expect(point?.flags).toContain('errors');
    expect(said).toMatch(/^No level without errors; best level, (?:49|50|51) % of the requests failed: /m);
    expect(said).not.toContain('Best');
    expect(code).toBe(3);
    const permitted = await perf('--model', 'half', '--error-percentage', '60');
    expect(permitted.code).toBe(0);
    // Whether it is steady is the machine's.
    expect(permitted.said).not.toContain('No level without errors');
    expect(permitted.said).toMatch(/^Best (?:steady level|level, not steady): /m);
  });
});

describe.each(['grpc', 'http'])('answers that are wrong, over %s', (protocol) => {
  const inputOf = async (expected: number) => {
    const file = join(home.path, `expected-${expected}.json`);
    const input = { INPUT: Array<number>(16).fill(1) };
    const output = { OUTPUT: Array<number>(16).fill(expected) };
    await writeFile(file, JSON.stringify({ data: [input], validation_data: [output] }));
    return ['--model', 'echo', '--protocol', protocol, '--input-data', file];
  };

  it('are no answer, all of them are counted, and the exit code is 3', async () => {
    const { code, said, point } = await perf(...(await inputOf(9)));
    const { checkedCount = 0, wrongCount = 0 } = point?.outputChecks ?? {};
    // All of them, where nothing else runs on the machine: a check may take a twentieth of the time.
    expect(checkedCount).toBeGreaterThan(15);
    expect([wrongCount, point?.errorCount]).toEqual([checkedCount, 0]);
    expect(point?.wrongByKind?.map(({ kind, count }) => [kind, count])).toEqual([
      ['output differs', checkedCount],
    ]);
    expect(said).toContain(
      `No level without wrong responses; best level, all ${checkedCount} checked responses are wrong: `,
    );
    expect(code).toBe(3);
  });

  it('are not found where they are right', async () => {
    const { code, said, point } = await perf(...(await inputOf(1)));
    expect(point?.outputChecks?.wrongCount).toBe(0);
    expect(point?.flags).not.toContain('wrong-responses');
    expect([code, said.includes('Best')]).toEqual([0, true]);
  });
});

describe('NaN in every answer', () => {
  it('is said without being asked for', async () => {
    const { code, said, point } = await perf('--model', 'nan');
    expect(point?.flags).toContain('not-finite');
    expect(said).toMatch(/^Best .*; NaN or infinite values/m);
    expect(point?.notFinite).toMatchObject({ count: point?.notFinite?.checkedCount });
    expect(code).toBe(0);
  });

  it('is no answer where all values are to be finite', async () => {
    const { code, said } = await perf('--model', 'nan', '--check-outputs', 'finite');
    expect(said).toMatch(
      /^No level without wrong responses; best level, all [\d,]+ checked responses are wrong/m,
    );
    expect(code).toBe(3);
  });
});
