import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseGpuList, readGpus } from '../../../main/machine/gpu-report';
import { captureFolder, readCapture } from './captures';
import { expectedFacts } from './expected-facts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-gpus-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A stand-in that gives the wanted answer on any machine and notes each start in `starts`. */
async function fakeNvidiaSmi(script: string): Promise<NodeJS.ProcessEnv> {
  const program = join(folder, 'nvidia-smi');
  await writeFile(program, `#!/bin/sh\necho "$*" >> '${join(folder, 'starts')}'\n${script}\n`);
  await chmod(program, 0o755);
  return { PATH: `${folder}:/usr/bin:/bin` };
}

const starts = async () => (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n');
const capture = (name: string) => `cat '${join(captureFolder, name)}'`;
const none = { driverVersion: null, cudaVersion: null, gpus: [] };
const hung = (seconds: number) => `nvidia-smi did not answer within ${seconds} s: the NVIDIA driver hangs.`;
/** Milliseconds for what answers; a busy machine may need more than the 2.5 s of the workbench. */
const patient = 30_000;
/** Milliseconds for what does not end, enough to start it on a busy machine. */
const startedMs = 5000;

describe('GPUs of this machine', () => {
  it('reads the report', async () => {
    const report = await readGpus(await fakeNvidiaSmi(capture('tesla-t4.xml')), patient);
    expect(report).toMatchObject({ gpus: [expectedFacts['tesla-t4.xml']?.gpu], problem: null });
    expect(await starts()).toEqual(['-q -x']);
  });

  it.each([
    [
      'fails without a driver',
      'echo "NVIDIA-SMI has failed because it couldn\'t communicate with the NVIDIA driver."; exit 9',
      "nvidia-smi failed with exit code 9 (the NVIDIA driver is not loaded): NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    ],
    [
      'finds no device',
      'echo "No devices were found"; exit 6',
      'nvidia-smi failed with exit code 6 (no NVIDIA GPU was found): No devices were found',
    ],
    [
      'has another version than the driver',
      'echo "Failed to initialize NVML: Driver/library version mismatch" >&2; exit 18',
      'nvidia-smi failed with exit code 18: Failed to initialize NVML: Driver/library version mismatch',
    ],
    ['fails in silence', 'exit 1', 'nvidia-smi failed with exit code 1.'],
    ['crashes', 'kill -SEGV $$', 'nvidia-smi was ended by SIGSEGV.'],
    ['prints something else', 'echo hello', 'nvidia-smi did not print a GPU report.'],
    [
      'is cut',
      `head -c 4000 '${join(captureFolder, 'tesla-t4.xml')}'`,
      'nvidia-smi did not print a GPU report.',
    ],
    [
      'prints without end',
      'head -c 9000000 /dev/zero | tr "\\0" "x" | fold -w 1000',
      'nvidia-smi did not print a GPU report.',
    ],
  ])('says so when nvidia-smi %s', async (_what, script, problem) => {
    expect(await readGpus(await fakeNvidiaSmi(script), patient)).toEqual({ ...none, problem });
  });

  it('says so after 2.5 s when nvidia-smi hangs', async () => {
    expect(await readGpus(await fakeNvidiaSmi('exec sleep 10'))).toEqual({ ...none, problem: hung(2.5) });
  });

  it('says so when nvidia-smi is missing or cannot be run', async () => {
    expect(await readGpus({ PATH: folder }, patient)).toEqual({
      ...none,
      problem: 'nvidia-smi is not installed: no NVIDIA driver on this machine.',
    });
    const env = await fakeNvidiaSmi('exit 0');
    await writeFile(join(folder, 'nvidia-smi'), '#!/missing/interpreter\n');
    await chmod(join(folder, 'nvidia-smi'), 0o644);
    expect((await readGpus({ PATH: env['PATH']?.split(':')[0] }, patient)).problem).toMatch(
      /^nvidia-smi cannot be run: /,
    );
  });

  it('keeps a whole report that comes with an error', async () => {
    const warning = 'WARNING: infoROM is corrupted at gpu 0000:00:1E.0';
    const report = await readGpus(
      await fakeNvidiaSmi(`${capture('tesla-t4.xml')}; echo; echo "${warning}"; exit 14`),
      patient,
    );
    expect(report.gpus).toEqual([expectedFacts['tesla-t4.xml']?.gpu]);
    expect(report.problem).toBe(
      `nvidia-smi failed with exit code 14 (the infoROM of a GPU is corrupted): ${warning}`,
    );
  });

  it('has the UUIDs of MIG devices from the list', async () => {
    const gpu = 'GPU-513536b6-7d19-9063-b049-1e69664bb298';
    const list = (await readCapture('list-a100-mig-r450.txt')).replaceAll(
      'GPU-4200ccc0-2667-d4cb-9137-f932c716232a',
      gpu,
    );
    await writeFile(join(folder, 'list.txt'), list);
    const env = await fakeNvidiaSmi(
      `if [ "$1" = -L ]; then cat '${join(folder, 'list.txt')}'; else ${capture('a100-sxm4-v12.xml')}; fi`,
    );
    const report = await readGpus(env, patient);
    expect(report.problem).toBeNull();
    expect(report.gpus[0]?.mig.devices.map(({ index, uuid }) => [index, uuid])).toEqual([
      [0, `MIG-${gpu}/7/0`],
      [1, `MIG-${gpu}/8/0`],
      [2, `MIG-${gpu}/9/0`],
      [3, `MIG-${gpu}/10/0`],
    ]);
    expect(await starts()).toEqual(['-q -x', '-L']);
  });

  it.each([
    ['exec sleep 30', startedMs],
    ['exit 9', patient],
    ['echo hello', patient],
  ])('keeps the report when the list does `%s`', async (list, limitMs) => {
    const env = await fakeNvidiaSmi(
      `if [ "$1" = -L ]; then ${list}; else ${capture('a100-sxm4-v12.xml')}; fi`,
    );
    expect(await readGpus(env, limitMs)).toMatchObject({
      gpus: [expectedFacts['a100-sxm4-v12.xml']?.gpu],
      problem: null,
    });
  });

  it('starts one nvidia-smi for calls that overlap, and a new one afterwards', async () => {
    const env = await fakeNvidiaSmi(capture('tesla-t4.xml'));
    const reports = await Promise.all([1, 2, 3, 4, 5].map(() => readGpus({ ...env }, patient)));
    expect(new Set(reports).size).toBe(1);
    expect(await starts()).toHaveLength(1);
    expect((await readGpus(env, patient)).problem).toBeNull();
    expect(await starts()).toHaveLength(2);
  });

  it('starts no other nvidia-smi while one cannot be ended', async () => {
    const env = await fakeNvidiaSmi("trap '' INT; sleep 15");
    const problem = hung(startedMs / 1000);
    expect((await readGpus(env, startedMs)).problem).toBe(problem);
    expect((await readGpus(env, startedMs)).problem).toBe(problem);
    expect((await readGpus(env, startedMs)).problem).toBe(problem);
    expect(await starts()).toHaveLength(1);
  });
});

describe('list of GPUs', () => {
  it('gives the MIG devices of each GPU', async () => {
    expect(parseGpuList(await readCapture('list-a100-mig.txt'))).toEqual(
      new Map([
        [
          'GPU-2927d07e-3fe9-7904-9e08-b08b82d9a37d',
          new Map([[0, 'MIG-6e95ef19-5145-571b-b040-7e731f1c1af3']]),
        ],
        [
          'GPU-e109d8d9-923e-7235-0429-96b7fdbcbd30',
          new Map([[0, 'MIG-b4bcd4f3-6f69-516d-9404-b5ada80d760b']]),
        ],
      ]),
    );
  });

  it('knows the names of drivers before R470', async () => {
    const gpu = 'GPU-4200ccc0-2667-d4cb-9137-f932c716232a';
    expect(parseGpuList(await readCapture('list-a100-mig-r450.txt'))).toEqual(
      new Map([
        [gpu, new Map([7, 8, 9, 10, 11, 12].map((instance, index) => [index, `MIG-${gpu}/${instance}/0`]))],
      ]),
    );
  });

  it('skips what it does not know', async () => {
    const list = await readCapture('list-a100-mig.txt');
    expect(parseGpuList('No devices found.\n')).toEqual(new Map());
    expect(parseGpuList(list.split('\n').slice(1, 2).join('\n'))).toEqual(new Map());
    expect(parseGpuList(`Unable to determine the device handle\r\n${list}`)).toEqual(parseGpuList(list));
  });
});
