import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exists } from '../../../main/platform/files';
import { homeLayout } from '../../../main/platform/layout';
import {
  createTensorflowEnvironment,
  installFailure,
  shownPipLine,
} from '../../../main/toolkit/extra-environment';
import { rejection } from '../../support/rejection';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'workbench-tensorflow-'));
  await mkdir(join(home, 'requirements'));
  await writeFile(join(home, 'requirements', 'tensorflow.txt'), 'tensorflow-cpu==1\n');
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Stands in for Python: `-m venv FOLDER` copies itself there, and for pip it does what the script says. */
async function putFaultyPython(pip: string): Promise<void> {
  const { python } = homeLayout(home);
  await mkdir(dirname(python), { recursive: true });
  await writeFile(join(home, 'python', 'pyvenv.cfg'), 'version = 3.11.7\n');
  const script = `#!/bin/sh
echo "$*" >> "${home}/asked"
case "$*" in
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  "-m pip "*) ${pip} ;;
esac
`;
  await writeFile(python, script);
  await chmod(python, 0o755);
}

function environment(
  signal = new AbortController().signal,
  onProgress: (text: string) => void = () => undefined,
) {
  const ensure = createTensorflowEnvironment({ layout: homeLayout(home), resources: home, env: process.env });
  const listener = {
    signal,
    onStderrLine: () => undefined,
    onProgress: (_fraction: number | null, text: string) => {
      onProgress(text);
    },
  };
  return ensure(listener);
}
const asked = async () => (await readFile(join(home, 'asked'), 'utf8')).trim().split('\n');

describe('the environment with TensorFlow', () => {
  it('is installed once and then only looked at', async () => {
    await putFaultyPython('true');
    expect(await environment()).toBe(join(home, 'tensorflow', 'bin', 'python'));
    const before = await asked();
    expect(before.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      '-m venv',
      '-m pip',
      '-c import',
    ]);
    await environment();
    expect(await asked()).toEqual(before);
  });

  it('is installed once by runs that start together', async () => {
    await putFaultyPython('sleep 1');
    const told: string[] = [];
    const note = (text: string) => void told.push(text);
    await Promise.all([environment(undefined, note), environment(undefined, note)]);
    expect((await asked()).filter((line) => line.startsWith('-m pip'))).toHaveLength(1);
    expect(told).toContain('Waiting for another run to install TensorFlow');
    expect(await exists(join(home, 'tensorflow.lease'))).toBe(false);
  });

  it('is made anew where it was cut short, and where the pinned versions changed', async () => {
    await putFaultyPython('exit 1');
    expect((await rejection(environment())).code).toBe('toolchain-missing');
    await writeFile(join(home, 'tensorflow', 'left'), '');
    await putFaultyPython('true');
    await environment();
    expect(await exists(join(home, 'tensorflow', 'left'))).toBe(false);
    await writeFile(join(home, 'tensorflow', 'left'), '');
    await writeFile(join(home, 'requirements', 'tensorflow.txt'), 'tensorflow-cpu==2\n');
    await environment();
    expect(await exists(join(home, 'tensorflow', 'left'))).toBe(false);
  });

  it('says that the network is not there, and how to go on', async () => {
    const line = 'WARNING: Retrying after NewConnectionError: Failed to establish a new connection';
    await putFaultyPython(`echo "${line}" >&2; exit 1`);
    const error = await rejection(environment());
    expect(error).toMatchObject({ code: 'toolchain-missing', details: line });
    expect(error.message).toContain('the package index cannot be reached');
    expect(error.remedy).toContain('resume the run');
  });

  it('stops when it is cancelled, and leaves no lock', async () => {
    await putFaultyPython('sleep 60');
    const controller = new AbortController();
    const stopped = environment(controller.signal);
    for (let i = 0; i < 400 && !(await exists(join(home, 'tensorflow', 'bin', 'python'))); i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    controller.abort();
    expect((await rejection(stopped)).code).toBe('cancelled');
    expect(await exists(join(home, 'tensorflow.lease'))).toBe(false);
    expect(await exists(join(home, 'tensorflow', '.stamp'))).toBe(false);
  });

  it('needs the Python of the workbench', async () => {
    expect((await rejection(environment())).code).toBe('toolchain-missing');
  });
});

describe('what pip says', () => {
  it('is shown where it is large or unpacks', () => {
    const large = '  Downloading tensorflow_cpu-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl (271.6 MB)';
    expect(shownPipLine(large)).toBe('tensorflow_cpu 2.21.0 (271.6 MB)');
    expect(shownPipLine('  Downloading gast-0.7.0-py3-none-any.whl (23 kB)')).toBeNull();
    expect(shownPipLine('Installing collected packages: a, b, c')).toBe('unpacking 3 packages');
  });

  it.each([
    ['OSError: [Errno 28] No space left on device', 'disk-full', 'disk is full'],
    ['ERROR: No matching distribution found for keras', 'toolchain-missing', 'no build for this Python'],
    ['SSLError(SSLCertVerificationError)', 'toolchain-missing', 'certificate'],
    ['something else', 'toolchain-missing', 'its installer failed'],
  ])('%s', (line, code, text) => {
    const error = installFailure('TensorFlow', ['a line before', line]);
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });
});
