import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../main/domain/random';
import { defaultHome, homeLayout } from '../../main/platform/layout';
import { campaignSeed, howMany, isWholeCampaign, printRow } from '../support/campaign';
import { cli, documentOf } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { DockerHome } from '../support/docker-home';
import { createTestHome } from '../support/home';
import {
  KilledDeployments,
  type KilledVerb,
  killedVerbs,
  type KillOutcome,
  type KillPoint,
} from '../support/killed-deployments';
import { makeModels } from '../support/made-models';

const random = createRandom(campaignSeed);
/** `npm test` has containers in other files. */
const engine = isWholeCampaign ? await readTestEngine() : null;
let models = '';
beforeAll(async () => {
  models = await mkdtemp(join(tmpdir(), 'killed-deployments-'));
  await makeModels(defaultHome(process.env), join(models, 'made'));
});
afterAll(() => rm(models, { recursive: true, force: true }));

/** Processes that serve from the folder of a deployment. */
async function tritonsIn(home: string, id: string): Promise<number> {
  const served = `--model-repository=${join(homeLayout(home).deployments, id, 'models')}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.filter((command) => command.split('\0').includes(served)).length;
}

/** A home with its tools, on one engine. */
interface TestHome {
  readonly path: string;
  readonly tritonsOf: (id: string) => Promise<number>;
  /** What is left outside of its folders. */
  left(): Promise<readonly string[]>;
  close(): Promise<void>;
}

async function openLocal(): Promise<TestHome> {
  const home = await createTestHome();
  return {
    ...{ path: home.path, close: () => home.remove(), left: () => Promise.resolve([]) },
    tritonsOf: (id: string) => tritonsIn(home.path, id),
  };
}

async function openContainers(): Promise<TestHome> {
  if (engine === null) throw new Error('no engine answers');
  const home = await DockerHome.open(engine);
  return {
    ...{
      path: home.path,
      close: () => home.close(),
      left: () => home.leftBehind(),
    },
    tritonsOf: async (id) => {
      const name = `twb-${home.instance.slice(0, 6)}-deployment-${id}`;
      return (await home.docker.listContainers({ all: true, filters: { name: [`^/${name}$`] } })).length;
    },
  };
}

/** Behind so many lines of each: just before Triton is spawned, a version is tried out, and between stop and start. */
const tellingLines: Readonly<Partial<Record<KilledVerb, number>>> = { deploy: 3, update: 1, restart: 2 };
const verbs = killedVerbs.filter((verb) => isWholeCampaign || verb in tellingLines);

/** Half of them behind a line of the journal, behind each in turn; the others anywhere. */
function pointsOf({ undisturbed }: KilledDeployments, verb: KilledVerb, many: number): readonly KillPoint[] {
  const usual = undisturbed.get(verb);
  if (usual === undefined) return [{ lines: tellingLines[verb] ?? 1, delayMs: 5 }];
  const first = Math.floor(random() * usual.lines);
  return Array.from({ length: many }, (_unused, index) =>
    index % 2 === 0
      ? { lines: 1 + ((first + Math.floor(index / 2)) % usual.lines), delayMs: random() * 15 }
      : { lines: 0, delayMs: random() * usual.ms },
  );
}

describe.each([
  { kind: 'local', isThere: true, engineWords: [], open: openLocal, many: howMany(20, 1) },
  {
    ...{ kind: 'docker', isThere: engine !== null, engineWords: ['--engine', 'docker'] },
    ...{ open: openContainers, many: 20 },
  },
])('$kind deployments whose commands are killed', ({ kind, isThere, engineWords, open, many }) => {
  let home: TestHome;
  let deployments: KilledDeployments;
  beforeAll(async () => {
    if (!isThere) return;
    home = await open();
    const run = await cli(
      home.path,
      ...['run', join(models, 'made', 'repository', 'normed'), '--rewrite', '--profile', 'quick', '--json'],
      ...['--batch-sizes', '1', '--concurrency', '1', '--measurement-interval-ms', '100'],
      ...['--set', 'performance.maxTrials=3', '--set', 'performance.warmupMs=0', ...engineWords],
    );
    expect(run.code, run.stdout + run.stderr).toBe(0);
    deployments = new KilledDeployments(home.path, documentOf(run).runId, 'normed', home.tritonsOf);
    await deployments.deployWeb();
    if (isWholeCampaign) await deployments.measure();
  });
  afterAll(async () => {
    if (isThere) await home.close();
  });

  it.runIf(isThere).each(verbs)('%s: what is shown is served, and it ends by itself', async (verb) => {
    const outcomes: KillOutcome[] = [];
    // One that has ended before it could be killed proves nothing.
    for (const point of pointsOf(deployments, verb, 3 * many)) {
      const outcome = await deployments.kill(verb, point);
      if (outcome.killed) outcomes.push(outcome);
      if (outcomes.length === many) break;
    }
    const problems = outcomes.flatMap((outcome) => outcome.problems);
    const [slowest, restart] = [
      Math.max(...outcomes.map(({ settledMs }) => settledMs)),
      deployments.restartMs,
    ];
    await printRow({
      what: `kill -9 of \`${verb}\` of a ${kind} deployment, after each line of its journal and at random points`,
      trials: outcomes.length,
      result: `${problems.length} shown in another state than served, late, inconsistent with the journal, or with another Triton; consistent with the journal at most ${(slowest / 1000).toFixed(1)} s after the next look (an undisturbed restart takes ${(restart / 1000).toFixed(1)} s)`,
    });
    expect(problems).toEqual([]);
    expect(outcomes).toHaveLength(many);
  });

  it.runIf(isThere)('leave nothing when they are removed', async () => {
    const left = [...(await deployments.removeAll()), ...(await home.left())];
    await printRow({
      what: `${kind} deployments that were killed, then removed`,
      trials: 2,
      result: `${left.length} processes, containers or folders left behind`,
    });
    expect(left).toEqual([]);
  });
});
