import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SoakStrategy } from '../../main/contract/study/soak';
import type { SoakAnswer } from '../../main/domain/study/soak/soak-answer';
import { cli } from '../support/cli';
import { createTestHome, type TestHome } from '../support/home';
import { alteredRuntime, runLinear, writeEnvironment } from '../support/serving-environments';

/** 20 KB per request: within a minute far more than a process takes by itself. */
const leakingRuntime = alteredRuntime(`    kept = []

    def run(self, names, feeds, options=None):
        InferenceSession.kept.append(bytearray(20_000))
        return super().run(names, feeds, options)`);

let home: TestHome;

beforeAll(async () => {
  home = await createTestHome(['python', 'triton']);
  const leaking = await writeEnvironment(home.path, 'leaking', leakingRuntime);
  for (const [name, more] of [
    ['sound', []],
    ['leaks', ['--set', `engine.environment=${leaking}`]],
  ] as const) {
    const ran = await runLinear(home.path, name, ...more);
    expect(ran.code, ran.stderr).toBe(0);
  }
});
afterAll(() => home.remove());

interface Soaked {
  readonly code: number | null;
  readonly stderr: string;
  readonly soak: SoakStrategy;
  readonly answer: SoakAnswer;
}

async function soak(...args: readonly string[]): Promise<Soaked> {
  const { code, stdout, stderr } = await cli(home.path, 'soak', ...args, '--json');
  expect(stdout, stderr).not.toBe('');
  return { code, stderr, ...(JSON.parse(stdout) as Pick<Soaked, 'soak' | 'answer'>) };
}

const rolesOf = ({ rows }: SoakAnswer): readonly string[] => rows.map(({ role }) => role).toSorted();

describe('a soak of a run, on a Triton of its own', () => {
  it('names the process that keeps 20 KB per request, and by how much', async () => {
    const { code, answer } = await soak(
      'leaks',
      '--for',
      '60s',
      '--rate',
      '50',
      '--fail-if',
      'rss-slope>1MB/h',
    );
    const [culprit] = answer.culprits;
    expect(answer.verdict, answer.sentence).toBe('grows');
    expect(culprit).toMatchObject({ figure: 'rss', row: { role: 'stub' } });
    const { growth, requestsPerHour } = culprit?.row ?? {};
    const { value = 0, low = 0, high = 0 } = growth?.rss.perHour ?? {};
    const planted = 20_000 * (requestsPerHour ?? 0);
    expect(
      (low <= planted && planted <= high) || Math.abs(value - planted) <= 0.1 * planted,
      answer.sentence,
    ).toBe(true);
    expect(answer).toMatchObject({ errors: 0, outcome: 'outside' });
    expect(code).toBe(3);
    const running = await cli(home.path, 'studies', 'list', '--json');
    expect(JSON.parse(running.stdout)).toMatchObject([{ state: 'done' }]);
  });

  it('says nothing of one that keeps nothing, and ends what it started', async () => {
    const { code, answer } = await soak('sound', '--for', '40s', '--fail-if', 'rss-slope>100MB/h');
    expect(answer.verdict, answer.sentence).not.toBe('grows');
    expect(rolesOf(answer)).toEqual(['client', 'server', 'stub']);
    expect(answer.requests).toBeGreaterThan(100);
    // 60 % of what the run held, which other tests may not leave it.
    expect([0, 4]).toContain(code);
    const { address = '' } = answer.place ?? {};
    expect(await fetch(`http://${address}/v2/health/live`).catch(() => null)).toBeNull();
  });
});

describe('a soak of a deployment', () => {
  it('loads the model anew, reads its processes, and leaves it serving', async () => {
    const deployed = await cli(home.path, 'deploy', 'sound', '--name', 'vision', '--json');
    expect(deployed.code, deployed.stderr).toBe(0);
    const { httpUrl } = JSON.parse(deployed.stdout) as { readonly httpUrl: string };
    try {
      const refused = await cli(
        home.path,
        ...['soak', 'vision', '--for', '20s', '--rate', '20'],
        '--reload-every',
        '5s',
      );
      // Its clients get errors meanwhile: nobody was there to ask.
      expect(refused.code, refused.stderr).not.toBe(0);
      const {
        code,
        answer,
        soak: asked,
      } = await soak(...['vision', '--for', '40s', '--rate', '20', '--reload-every', '5s', '--yes']);
      expect(code).toBe(0);
      expect(asked.subject).toMatchObject({ kind: 'deployment' });
      expect(rolesOf(answer)).toEqual(['client', 'server', 'stub']);
      expect(answer.rows.find(({ role }) => role === 'server')?.reloadsPerHour).toBeGreaterThan(0);
      expect(answer.requests).toBeGreaterThan(400);
      expect(answer.errors).toBe(0);
      const ready = await fetch(`${httpUrl}/v2/models/linear/ready`);
      expect(ready.ok).toBe(true);
    } finally {
      await cli(home.path, 'deployments', 'remove', 'vision', '--force');
    }
  });
});
