import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkIds, type MachineStatus } from '../../main/contract/machine';
import { cli, startCli } from '../support/cli';
import { captureFolder } from '../unit/machine/captures';
import { expectedFacts } from '../unit/machine/expected-facts';

let folder: string;
let path: string | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-detect-'));
  path = process.env['PATH'];
});
afterEach(async () => {
  process.env['PATH'] = path;
  await rm(folder, { recursive: true, force: true });
});

/** The whole program, with a stand-in for nvidia-smi first on its PATH. */
async function detect(fakeNvidiaSmi: string, ...args: readonly string[]): Promise<MachineStatus> {
  await writeFile(join(folder, 'nvidia-smi'), `#!/bin/sh\n${fakeNvidiaSmi}\n`);
  await chmod(join(folder, 'nvidia-smi'), 0o755);
  process.env['PATH'] = `${folder}:${path ?? ''}`;
  const { code, stdout, stderr } = await cli(join(folder, 'home'), 'detect', '--json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as MachineStatus;
}

const checkOf = (machine: MachineStatus, id: string) => machine.checks.find((check) => check.id === id);

describe('detect --json', () => {
  // It waits 2.5 s for nvidia-smi; a machine that is full may need longer even for a stand-in.
  it.each(Object.entries(expectedFacts))('tells the facts of %s', { retry: 2 }, async (name, expected) => {
    const machine = await detect(`cat '${join(captureFolder, name)}'`);
    expect(machine.gpus.problem).toBe(null);
    expect(machine.gpus.gpus).toEqual([expected.gpu]);
    expect(machine.environment.gpus.map((gpu) => gpu.name)).toEqual([expected.gpu.name]);
    expect(machine.checks.map((check) => check.id)).toEqual([...checkIds]);
    expect(checkOf(machine, 'gpus')?.finding).toContain(expected.gpu.name);
  });

  it('checks the driver and the card for the release that is asked for', async () => {
    const fake = `cat '${join(captureFolder, 'tesla-t4.xml')}'`;
    const machine = await detect(fake, '--images', 'ngc', '--gpus', 'all', '--release', '26.06');
    expect(checkOf(machine, 'driver')).toMatchObject({ status: 'problem' });
    expect(checkOf(machine, 'security-floor')?.finding).toContain('26.06');
    for (const check of machine.checks) expect(check.remedy === null).toBe(/^(ok|not)/.test(check.status));
  });

  it.each([
    ['is missing', 'exit 127', /nvidia-smi/],
    ['hangs', 'sleep 10', /did not answer within 2.5 s/],
    ['prints garbage', 'head -c 100000 /dev/urandom', /did not print a GPU report/],
  ])('answers when nvidia-smi %s', async (_how, fake, problem) => {
    const machine = await detect(fake);
    expect(machine.gpus.gpus).toEqual([]);
    expect(machine.gpus.problem).toMatch(problem);
    expect(machine.environment.gpus).toEqual([]);
    expect(machine.checks).toHaveLength(checkIds.length);
  });
});

describe('a reader that goes away', () => {
  it('hears no more, and the work ends as it would have', async () => {
    const { child, result } = startCli(join(folder, 'home'), ['presets']);
    child.stdout?.destroy();
    expect(await result).toMatchObject({ code: 0, stderr: '' });
  });
});
