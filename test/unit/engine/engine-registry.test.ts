import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobEngines } from '../../../main/contract/job/job-engines';
import { inContainers, jobAbilities } from '../../../main/contract/run/engine-kinds';
import { type EngineKind, engines as kinds, type RunSpec } from '../../../main/contract/run/run-spec';
import { createDockerLink } from '../../../main/docker/docker-link';
import { thisMachine } from '../../../main/engine/engine';
import type { EngineParts } from '../../../main/engine/engine-interface';
import { createSchedulers, engineOf, ownJobOf } from '../../../main/engine/engine-registry';
import { createHosts } from '../../../main/hosts/hosts';
import { ngcRegistry } from '../../../main/machine/releases';
import { homeLayout } from '../../../main/platform/layout';
import { createSetup } from '../../../main/setup/setup';
import { noLogins } from '../../support/host-reach';
import { specFixture } from '../../support/run-state';
import { freePorts } from '../../support/triton';
import { resnet50 } from '../renderer/wizard/preset';

let home: string;
let parts: EngineParts;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-registry-'));
  const layout = homeLayout(home);
  const env = { DOCKER_HOST: `unix://${home}/none.sock`, PATH: home, HOME: home };
  parts = {
    ...{ layout, env, resources: 'resources', registry: ngcRegistry },
    workerFile: '/nowhere/load-worker.cjs',
    docker: createDockerLink({ env, instanceFile: layout.instance }),
    hosts: createHosts({ layout, env, now: () => new Date() }),
    prepareImage: () => Promise.reject(new Error('no image is needed here')),
    setup: createSetup({ layout, resources: 'resources', env }),
    schedulerOf: createSchedulers({ layout, env, hosts: noLogins }),
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

const [http = 0, grpc = 0] = await freePorts(2);
/** One of each kind: a new kind does not compile without. */
const chosen: Readonly<Record<EngineKind, RunSpec['engine']>> = {
  local: { kind: 'local', httpPort: http, grpcPort: grpc },
  docker: { kind: 'docker', gpus: ['all'], shmSizeMiB: 64 },
  remote: { kind: 'remote', url: 'http://127.0.0.1:1' },
  slurm: { kind: 'slurm', container: 'apptainer', containerImage: '/shared/triton.sif' },
  kubernetes: { kind: 'kubernetes', triton: 'home' },
};

describe.each(kinds)('the engine %s', (kind) => {
  const engine = chosen[kind];
  const spec: RunSpec = { ...specFixture(), engine };
  const own = engineOf(engine);
  const places = { host: null, presetOf: () => Promise.resolve({ preset: resnet50 }) };

  it('says whether it can be used, and how it could be', async () => {
    const [status, ...others] = await own.detect(parts);
    expect([status?.kind, others]).toEqual([kind, []]);
    expect(status?.available === true || status?.remedy !== null).toBe(true);
  });

  it('opens a place for a run, which leaves nothing behind', async () => {
    expect(await own.link(engine, parts)).toBe(parts.docker);
    const run = { runId: 'r', dir: home, framework: 'pyt' as const, step: () => 'deploy' };
    const place = await own.open(engine, spec, run, parts);
    const model = { format: spec.format, framework: run.framework };
    expect(await own.imageNames(engine, model, parts)).toEqual(place.imageNames);
    expect(place.imageNames).toHaveLength(inContainers(engine) ? 2 : 0);
    expect([place.prepareImages === null, place.engineWatch === null]).toEqual(
      inContainers(engine) ? [false, false] : [true, true],
    );
    expect(Object.keys(place.loadTools)).toEqual(['native', 'perf_analyzer']);
    if (!inContainers(engine)) await place.release();
    expect(await own.sweep(parts, {})).toEqual({ ended: [], removedContainers: [] });
  });

  it('is refused before there is a run where it cannot be used at all', async () => {
    const refusal = await own.check(engine, parts).catch((error: unknown) => error);
    expect(refusal).toEqual(
      inContainers(engine) ? expect.objectContaining({ code: 'docker-unreachable' }) : undefined,
    );
  });

  it('plans its server, with addresses for the clients', () => {
    const programs = { tritonServer: '/t/tritonserver', tritonBackends: '/t/backends', cache: '/c' };
    const run = { runId: 'r', repository: '/run/repository', logs: '/run/deploy', programs };
    const { command, forClients } = own.plannedServer(engine, spec, run);
    expect(command?.some((word) => word.endsWith('tritonserver')) ?? kind === 'remote').toBe(true);
    expect(forClients.httpAddress).toMatch(/^127\.0\.0\.1:/);
    expect(forClients.grpcAddress).toMatch(/^127\.0\.0\.1:/);
  });

  it('says of its fields what keeps a run from starting', async () => {
    const { layout, docker } = parts;
    const found = await own.startProblems(engine, {
      ...{ layout, docker, spec, config: null },
      tools: { missing: [], installable: true },
      monitored: () => Promise.resolve(null),
      jobs: { refusal: () => Promise.resolve({ field: 'engine.kind', message: 'No such cluster' }) },
    });
    const codes: Readonly<Partial<Record<EngineKind, readonly string[]>>> = {
      ...{ local: [], docker: ['docker-unreachable'], remote: ['server-unreachable'] },
    };
    expect(found.map(({ code }) => code)).toEqual(codes[kind] ?? ['job-refused']);
    for (const { field } of found) expect(field).toMatch(/^engine\./);
  });

  it('completes a specification without changing what was chosen', async () => {
    const completed = await own.completed(engine, spec, places, parts);
    expect(completed).toMatchObject(spec);
    expect(await own.preflight(engine, completed, places, parts)).toBeNull();
  });

  it('names what it measures on, and the node of a job where it is one', async () => {
    const onNode = jobAbilities(kind) === null ? thisMachine : 'node n1';
    expect(await own.deviceOf(engine, null, parts)).toBe(thisMachine);
    expect(await own.deviceOf(engine, 'n1', parts)).toBe(onNode);
  });

  it('says where a TensorRT plan is built, and whether it loads', async () => {
    expect(await own.gpuNames(engine, parts)).toEqual([]);
    const plan = {
      ...{ tensorrtVersion: '10.9.0', gpuName: 'NVIDIA A100', computeCapability: '8.0' },
      ...{ image: null, command: ['trtexec'], onnxSha256: '' },
    };
    const { status, finding } = await own.checkPlan(engine, plan, parts);
    expect(status).toBe('problem');
    expect(finding).toContain(
      inContainers(engine) ? 'built with TensorRT 10.9.0' : 'in containers of one NGC release',
    );
  });
});

it.each([
  ['http://localhost:8000', thisMachine],
  ['http://127.0.0.1:9000', thisMachine],
  ['http://[::1]:8000', thisMachine],
  ['http://gpu-7.example:8000', 'host gpu-7.example'],
])('a server at %s is measured on %s', async (url, device) => {
  const engine = { kind: 'remote', url } as const;
  expect(await engineOf(engine).deviceOf(engine, null, parts)).toBe(device);
});

describe.each(jobEngines)('the scheduler of %s', (kind) => {
  it('is the same whenever it is asked for, and says what would keep it from taking a job', async () => {
    const scheduler = parts.schedulerOf(kind);
    expect(parts.schedulerOf(kind)).toBe(scheduler);
    const refusal = await scheduler.refusal(chosen[kind]).catch((error: unknown) => error);
    expect(refusal).not.toBeNull();
  });

  it('knows the job that a process runs in', () => {
    expect(ownJobOf({})).toBeNull();
    expect(ownJobOf({ [jobAbilities(kind)?.variable ?? '']: 'ml/tw-a' })).toMatchObject({ id: 'ml/tw-a' });
  });
});
