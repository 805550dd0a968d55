import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunOptions } from '../../../main/cli/read-spec';
import { readChoice } from '../../../main/cli/spec-options';
import { codeOf } from '../../../main/cli/work';
import type { Core } from '../../../main/core';
import { rejection } from '../../support/rejection';
import { createdBodies, measurementBody, pointFixture, runCreated, stateOf } from '../../support/run-state';
import { createTestCore } from '../../support/test-core';

let home: string;
let core: Core;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-given-'));
  core = await createTestCore(join(home, 'home'));
});
afterEach(async () => {
  await core.close();
  await rm(home, { recursive: true, force: true });
});

/** As `run` does it, up to where the run would be created: the code of what it is refused with. */
async function refusal(options: RunOptions & { allowRemoteLoad?: boolean }, at = core): Promise<string> {
  const { typed, ...choice } = await readChoice(at, 'resnet50', options);
  const spec = await at.handlers['spec.resolve'](choice);
  const { trust, allowRemoteLoad } = options;
  await at.handlers['approvals.given']({ spec, trust, allowRemoteLoad, typed, file: options.spec });
  const { code, message } = await rejection(at.handlers['runs.create']({ spec }));
  return code === 'not-trusted' ? message : code;
}

/** Nothing stands against it: this home lacks the tools, or there is no Docker Engine or server. */
const agreed = ['toolchain-missing', 'docker-unreachable', 'engine-unavailable', 'server-unreachable'];

async function specFile(text: string): Promise<string> {
  const file = join(home, 'run.yaml');
  await writeFile(file, text);
  return file;
}

describe('run --spec of a file from elsewhere', () => {
  it('is refused where its programs would run on a host or a cluster that nobody named', async () => {
    const spec = await specFile('engine: {kind: docker, host: gpu1}\n');
    expect(await refusal({ spec })).toBe('The run would run on gpu1 (engine.host)');
    const slurm = await specFile('engine: {kind: slurm, profile: gpu}\n');
    expect(await refusal({ spec: slurm })).toBe('The run would run on Slurm (engine.kind)');
    // The host is not in the list of this home: it is asked for only now.
    expect(await refusal({ host: 'gpu1' })).toBe('host-unknown');
    await specFile('engine: {kind: docker, host: gpu2}\n');
    expect(await refusal({ spec })).toContain('gpu2');
    expect(await refusal({ spec, trust: true })).toBe('host-unknown');
  });

  it('is refused with the list of what it reaches, until it is agreed to once', async () => {
    const spec = await specFile(
      'engine: {kind: docker, clientImage: attacker/image:1}\nmodel: {dataset: /home/victim}\n',
    );
    expect(await refusal({ spec })).toBe(
      'The run would read /home/victim (model.dataset); run the image attacker/image:1 (engine.clientImage)',
    );
    // A dry look at it agrees to nothing.
    await readChoice(core, 'resnet50', { spec });
    expect(await refusal({ spec })).toContain('attacker/image:1');
    expect(agreed).toContain(await refusal({ spec, trust: true }));
    expect(agreed).toContain(await refusal({ spec }));
    await core.close();
    core = await createTestCore(join(home, 'home'));
    expect(agreed).toContain(await refusal({ spec }));
  });

  it('may read what lies beside it, and what the command itself names', async () => {
    const beside = await specFile(`model: {dataset: ${home}/data}\n`);
    expect(agreed).toContain(await refusal({ spec: beside }));
    const spec = await specFile('model: {dataset: /home/victim}\n');
    expect(await refusal({ spec, checkpoint: '/given/weights.pt' })).toBe(
      'The run would read /home/victim (model.dataset)',
    );
    expect(agreed).toContain(await refusal({ spec, dataset: '/home/other' }));
    expect(agreed).toContain(
      await refusal({
        set: ['model.dataset=/set/here', 'engine.kind=docker', 'engine.tritonImage=me/mine:1'],
      }),
    );
  });

  // M16
  it('sends no load to another machine without --allow-remote-load, whoever names it', async () => {
    const url = 'http://triton.invalid:8000';
    expect(await refusal({ engine: 'remote', url })).toBe(
      'The run would send load to triton.invalid (engine.url)',
    );
    expect(await refusal({ engine: 'remote', url, trust: true })).toContain('send load to triton.invalid');
    expect(agreed).toContain(await refusal({ engine: 'remote', url, allowRemoteLoad: true }));
    expect(agreed).toContain(await refusal({ engine: 'remote', url }));
  });
});

it.each([
  ['done', 0],
  // Whatever the error: 2 would say that nothing was started.
  ['failed', 1],
  ['gate-failed', 3],
  ['cancelled', 130],
] as const)('a run that is %s ends the command with %i', (outcome, code) => {
  expect(codeOf({ outcome }, runCreated())).toBe(code);
});

it('a run whose every level has too many errors ends the command with 3', () => {
  const failing = pointFixture({ requestCount: 50, errorCount: 50, flags: ['errors'] });
  const levels = [measurementBody('online', failing)];
  expect(codeOf({ outcome: 'done' }, stateOf([...createdBodies(), ...levels]))).toBe(3);
  const fine = measurementBody('online', pointFixture({ concurrency: 2 }));
  expect(codeOf({ outcome: 'done' }, stateOf([...createdBodies(), ...levels, fine]))).toBe(0);
});
