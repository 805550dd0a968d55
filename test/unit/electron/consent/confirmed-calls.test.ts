import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfirmedCall, confirmedCalls } from '../../../../electron/consent/confirmed-calls';
import { type ConsentQuestion, shownValue } from '../../../../electron/consent/consent-question';
import { api } from '../../../../main/contract/api';
import type { RunContent } from '../../../../main/contract/run/run-content';
import type { RunState } from '../../../../main/contract/run/run-state';
import type { Choice } from '../../../../main/contract/run/spec-tools';
import type { StudySpec } from '../../../../main/contract/study/study';
import type { UpgradeTarget } from '../../../../main/contract/study/upgrade';
import { planServerLoad, wantedLoad } from '../../../../main/domain/run/server-plan';
import { type Approvals, createApprovals } from '../../../../main/store/approvals';
import { directReaders } from '../../../support/direct-readers';
import { rejection } from '../../../support/rejection';
import { specFixture } from '../../../support/run-state';
import { configuration } from '../../../support/simulated-search';
import { soakStrategy } from '../../../support/soaked';
import { upgradeStrategy } from '../../../support/upgraded';

let home: string;
let approvals: Approvals;
let asked: ConsentQuestion[];
let reached: [string, unknown][];
/** What the person answers. */
let agrees: boolean;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-confirmed-'));
  approvals = open();
  asked = [];
  reached = [];
  agrees = false;
});
afterEach(() => rm(home, { recursive: true, force: true }));

const open = () => createApprovals({ file: join(home, 'approved.json'), own: [], now: () => new Date(0) });

const source = {
  kind: 'onnx' as const,
  path: '/home/victim/net.onnx',
  title: 'net',
  inputs: [],
  outputs: [],
  batched: true,
  externalFiles: [],
};
const foreign = specFixture((spec) => {
  spec.model.dataset = '/home/victim';
  const image = { clientImage: 'attacker/image:1', gpus: [], shmSizeMiB: 64 };
  spec.engine = { kind: 'docker', host: 'gpu1', ...image };
});
const withModel = specFixture((spec) => {
  spec.model.source = source;
});
const run = { runId: 'a-run' };
const choice = { preset: 'net', overrides: { model: { source } } };

const studyOf = (choices: readonly Choice[], hosts: string[] | null = null): StudySpec => ({
  ...{ name: 'night', hosts },
  strategy: { kind: 'matrix', trials: choices.map((one) => ({ choice: one, axes: [], refusal: null })) },
});
const hostileTrial: Choice = {
  preset: 'resnet50',
  overrides: { model: { dataset: '/home/victim' }, engine: { clientImage: 'attacker/image:1' } },
};

/** Every call of the page that names something of this machine, with what an attacker would name. */
const hostile: Readonly<Record<ConfirmedCall, unknown>> = {
  'models.asPipeline': { path: '/home/victim/my-bert', texts: '/home/victim/letters.txt' },
  'models.check': { paths: ['/home/victim/models'] },
  'models.open': { path: '/home/victim/net.onnx' },
  'models.trust': { path: '/home/victim/model' },
  'runs.start': { spec: foreign },
  'runs.resume': run,
  'runs.trust': run,
  'runs.rerunFrom': { ...run, step: 'report' },
  'runs.planChange': { ...run, spec: withModel },
  'runs.change': { ...run, spec: foreign },
  'runs.check': { spec: withModel },
  'reports.change': { subject: { kind: 'run', ...run }, change: { logo: '/home/victim/logo.png' } },
  'reports.checkLogo': { path: '/home/victim/logo.png' },
  'runs.import': { path: '/home/victim/profile.json' },
  'spec.preview': choice,
  'spec.choice': { spec: withModel },
  'spec.editConfig': { ...choice, text: '' },
  'spec.export': { ...choice, as: 'shell' },
  'spec.import': {
    text: JSON.stringify({ model: { preset: 'net', source } }),
    fileName: 'run.yaml',
    preset: 'net',
  },
  'duels.plan': {
    between: { first: 'a-run', second: 'b-run' },
    server: { url: 'https://localhost:8000', tls: { keyFile: '/home/victim/key.pem' } },
  },
  'searches.plan': {
    ...{ runId: 'a-run', space: {}, load: 'open' },
    server: { url: 'https://localhost:8000', tls: { keyFile: '/home/victim/key.pem' } },
  },
  'soaks.plan': {
    of: { url: 'https://localhost:8000', tls: { keyFile: '/home/victim/key.pem' }, model: 'net' },
    forMs: 60_000,
  },
  'studies.plan': { spec: studyOf([choice]) },
  'studies.read': { text: 'matrix: { preset: [resnet50, /home/victim/model] }', fileName: 'night.yaml' },
  'studies.start': { spec: studyOf([hostileTrial, choice], ['gpu2', 'local']) },
  'studies.resume': { name: 'night' },
  'upgrades.plan': { of: run, to: { environment: '/home/victim/triton' } },
  'docker.pullImage': { reference: 'attacker/image:1' },
  'servers.describe': { url: 'http://localhost:8000', tls: { keyFile: '/home/victim/key.pem' } },
  'servers.measure': {
    ...{ url: 'https://localhost:8000', tls: { keyFile: '/home/victim/key.pem' } },
    ...{ model: 'net', modelVersion: '', shapes: {} },
    performance: { generation: { endpoint: 'chat', promptsFile: '/home/victim/prompts.jsonl' } },
  },
  'monitor.start': { url: 'http://localhost:8000', metricsUrl: '', tls: { keyFile: '/home/victim/key.pem' } },
};
/** While a form is filled in; refused without a question. */
const unasked: readonly ConfirmedCall[] = [
  'runs.planChange',
  'runs.check',
  'spec.preview',
  'spec.editConfig',
  'spec.export',
  'studies.plan',
];
const names = Object.keys(hostile) as ConfirmedCall[];

const sha256 = 'ab'.repeat(32);

const content: RunContent = {
  ...{ runId: 'a-run', dir: '/runs/a-run', hash: sha256, created: sha256 },
  ...{ images: ['attacker/image:1'], paths: ['/home/victim'], server: null, machines: ['gpu1'] },
  ...{ code: ['steps/export/model.pt'], files: [] },
};

function calls() {
  const handlers = Object.fromEntries(
    Object.keys(api).map((name) => [
      name,
      (input: unknown) => {
        reached.push([name, input]);
        return Promise.resolve({ path: (input as { path?: string }).path });
      },
    ]),
  ) as unknown as Parameters<typeof confirmedCalls>[0];
  const core: Parameters<typeof confirmedCalls>[0] = {
    ...handlers,
    'approvals.missing': (reach) => approvals.missing(reach),
    'approvals.add': (reach) => approvals.add(reach),
    'spec.readModel': directReaders.specModel,
    'matrix.read': directReaders.matrix,
    'presets.list': () => Promise.resolve([]),
    'studies.specOf': () => Promise.resolve(studyOf([hostileTrial])),
    'runs.show': () =>
      Promise.resolve({
        state: { source: { kind: 'deployed', spec: foreign } } as RunState,
        dir: '/runs/a-run',
      }),
    'runs.content': () => Promise.resolve(content),
    'runs.trustContent': ({ runId, hash }) => {
      reached.push(['runs.trust', { runId, hash }]);
      return Promise.resolve();
    },
    'models.code': ({ path }) =>
      Promise.resolve({ path, kind: 'folder' as const, files: [{ path: 'model.py', bytes: 3 }], sha256 }),
  };
  return confirmedCalls(core, (question) => {
    asked.push(question);
    return Promise.resolve(agrees);
  });
}

const call = (name: ConfirmedCall): Promise<unknown> => {
  const parsed = api[name].input.parse(hostile[name]);
  return (calls()[name] as (input: unknown) => Promise<unknown>)(parsed);
};

describe('a call of the page that names a path, an image or code', () => {
  // M6
  it.each(names)('%s does not reach the core before the person agreed', async (name) => {
    const error = await rejection(call(name));
    expect(error.code).toBe('not-trusted');
    expect(reached).toEqual([]);
    expect(asked).toHaveLength(unasked.includes(name) ? 0 : 1);
    expect(await readFile(join(home, 'approved.json'), 'utf8').catch(() => null)).toBeNull();
  });

  it.each(names.filter((name) => !unasked.includes(name) && !name.endsWith('.trust')))(
    '%s is asked for once, and the answer is remembered',
    async (name) => {
      agrees = true;
      await call(name);
      expect(reached.map(([reachedName]) => reachedName)).toEqual([name]);
      approvals = open();
      await call(name);
      expect(asked).toHaveLength(1);
      expect(asked[0]?.detail).toMatch(/\/home\/victim|attacker\/image:1/);
    },
  );

  it('is not asked for what was chosen in a dialog or dropped', async () => {
    approvals.give('/home/victim');
    for (const name of names.filter((one) => !['models.trust', 'docker.pullImage'].includes(one))) {
      if (['runs.start', 'runs.change', 'runs.resume', 'runs.rerunFrom', 'runs.trust'].includes(name))
        continue;
      if (['studies.start', 'studies.resume', 'upgrades.plan'].includes(name)) continue;
      await call(name);
    }
    expect(asked).toEqual([]);
    await expect(call('runs.start')).rejects.toThrow('attacker/image:1');
  });

  it('lists all that the runs of a study would use, and the hosts that they are spread over', async () => {
    await rejection(call('studies.start'));
    expect(asked[0]?.detail).toContain('  /home/victim  (model.dataset)');
    expect(asked[0]?.detail).toContain('Run programs on another machine:\n  gpu2  (hosts)');
  });

  it('asks for the machine of a running Triton before it is asked what it serves, and before it is loaded into', async () => {
    const server = { url: 'http://gpu-7:8000' };
    const plan = () => calls()['searches.plan']({ runId: 'a-run', space: {}, load: 'open', server });
    await rejection(plan());
    expect(asked[0]?.detail).toContain('  gpu-7  (engine.url)');
    const strategy = {
      ...{ kind: 'search', runId: 'a-run', candidates: [configuration({})], trials: [] },
      ...{ load: { kind: 'open', batchSize: 1 }, budgetS: 60, lookMs: 1000, fullMs: 3000 },
      target: { percentile: 99, latencyUs: 20_000, errorPercentage: 1 },
      server: { ...server, metrics: 'gpu-7:8002', mark: 'ab12cd34' },
    };
    const spec = { name: 'there', strategy, hosts: null };
    await rejection(calls()['studies.start']({ spec }));
    expect(asked[1]?.detail).toContain('  gpu-7  (engine.url)');
    agrees = true;
    await calls()['studies.start']({ spec });
    await plan();
    expect(asked).toHaveLength(3);
    agrees = false;
    const onHost = { ...strategy, server: undefined, host: 'gpu2' };
    await rejection(calls()['studies.start']({ spec: { ...spec, strategy: onHost } }));
    expect(asked[3]?.detail).toContain('Run programs on another machine:\n  gpu2  (host)');
  });

  it('asks for the machine and the files of a soak of a running Triton before it begins', async () => {
    const load = planServerLoad(
      wantedLoad({ url: 'http://gpu-7:8000', model: 'net', modelVersion: '', shapes: {}, performance: {} }),
    );
    const subject = { kind: 'server' as const, load: { ...load, sources: ['/home/victim/values.json'] } };
    const spec = { name: 'night', strategy: { ...soakStrategy({ subject }), trials: [] }, hosts: null };
    await rejection(calls()['studies.start']({ spec }));
    expect(asked[0]?.detail).toContain('  gpu-7  (engine.url)');
    expect(asked[0]?.detail).toContain('  /home/victim/values.json  (soak)');
    await calls()['soaks.plan']({ of: { url: 'http://gpu-7:8000', model: 'net' }, forMs: 60_000 });
    expect(asked).toHaveLength(1);
  });

  it('asks for the serving environment of an upgrade with what its run uses, and again for none of it', async () => {
    const plan = (to: UpgradeTarget) => calls()['upgrades.plan']({ of: run, to });
    await rejection(plan({ environment: '/home/victim/triton' }));
    expect(asked[0]?.detail).toContain('  the Triton in /home/victim/triton  (engine.environment)');
    expect(asked[0]?.detail).toContain('  attacker/image:1  (engine.clientImage)');
    const sides = [{ title: 'now' }, { title: 'next', target: { image: 'attacker/triton:1' } }] as const;
    const strategy = { ...upgradeStrategy({ sides: [...sides] }), trials: [] };
    const start = () => calls()['studies.start']({ spec: { name: 'next', strategy, hosts: null } });
    await rejection(start());
    expect(asked[1]?.detail).toContain('  attacker/triton:1  (engine.tritonImage)');
    agrees = true;
    await plan({ image: 'attacker/triton:1' });
    await start();
    expect(asked).toHaveLength(3);
    await plan({ release: '26.07' });
    expect(asked).toHaveLength(3);
  });

  it('lists all that a run would use', async () => {
    await rejection(call('runs.start'));
    expect(asked[0]?.detail).toContain('  /home/victim  (model.dataset)');
    expect(asked[0]?.detail).toContain('  attacker/image:1  (engine.clientImage)');
    expect(asked[0]?.detail).toContain('Run programs on another machine:\n  gpu1  (engine.host)');
  });

  it('models.trust is asked for every time, with the files and the hash, and trusts that very content', async () => {
    approvals.give('/home/victim/model');
    agrees = true;
    await call('models.trust');
    await call('models.trust');
    expect(asked).toHaveLength(2);
    expect(asked[0]?.detail).toContain('model.py');
    expect(asked[0]?.detail).toContain(sha256);
    expect(reached.map(([, input]) => input)).toMatchObject([{ sha256 }, { sha256 }]);
  });

  it('runs.trust is asked for every time, and agrees to all that the run names', async () => {
    agrees = true;
    await call('runs.trust');
    await call('runs.trust');
    expect(asked).toHaveLength(2);
    for (const part of ['steps/export/model.pt', 'attacker/image:1', '/home/victim', 'gpu1', sha256]) {
      expect(asked[0]?.detail).toContain(part);
    }
    expect(reached[0]).toEqual(['runs.trust', { ...run, hash: sha256 }]);
    await call('runs.resume');
    expect(asked).toHaveLength(2);
  });

  it('has one dialog at a time, and none for what was just agreed to', async () => {
    agrees = true;
    const wrapped = calls();
    const start = () => wrapped['runs.start']({ spec: foreign });
    await Promise.all([start(), wrapped['runs.resume'](run), start()]);
    expect(asked).toHaveLength(1);
    expect(reached).toHaveLength(3);
  });

  it('asks nothing for a preset with its own data', async () => {
    const wrapped = calls();
    await wrapped['runs.start']({ spec: specFixture() });
    await wrapped['spec.preview']({ preset: 'resnet50', overrides: {} });
    await wrapped['docker.pullImage']({ reference: 'nvcr.io/nvidia/tritonserver:26.07-py3' });
    expect(asked).toEqual([]);
    expect(reached).toHaveLength(3);
  });
});

it('a name cannot write lines of its own into the question', () => {
  expect(shownValue('/a\n\nThis is safe.\u202E')).toBe('/a\\u{a}\\u{a}This is safe.\\u{202e}');
  expect(shownValue('x'.repeat(5000)).length).toBeLessThan(300);
});
