import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fillWheelhouse, platformFlags, requirementsFor } from '../../../../main/docker/images/wheelhouse';
import { homeLayout } from '../../../../main/platform/layout';
import { rejection } from '../../../support/rejection';

const resources = join(import.meta.dirname, '..', '..', '..', '..', 'resources');
let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'workbench-wheels-'));
});
afterEach(() => rm(home, { recursive: true }));

/** Stands in for pip: writes down how it was asked, and refuses what the script says. */
async function putFaultyPip(script: string): Promise<void> {
  const { python } = homeLayout(home);
  await mkdir(dirname(python), { recursive: true });
  await writeFile(python, `#!/bin/sh\necho "$*" >> "${join(home, 'asked')}"\n${script}\n`);
  await chmod(python, 0o755);
}

const fill = (onLine: (line: string) => void = () => undefined, controller = new AbortController()) =>
  fillWheelhouse({
    layout: homeLayout(home),
    resources,
    architecture: 'amd64',
    env: process.env,
    signal: controller.signal,
    onLine,
  });
const asked = async () => (await readFile(join(home, 'asked'), 'utf8')).trim().split('\n');

describe('requirementsFor', () => {
  it('judges the markers of the workbench for another Python', async () => {
    const text = await readFile(join(resources, 'requirements', 'runtime.txt'), 'utf8');
    const newer = requirementsFor('3.11', text);
    expect(newer.filter((line) => line.startsWith('onnxruntime=='))).toEqual(['onnxruntime==1.31.1']);
    expect(newer.every((line) => !/[;#]/.test(line))).toBe(true);
    expect(requirementsFor('3.9', text)).toContain('onnxruntime==1.19.2');
    expect(requirementsFor('3.10', text)).toContain('onnxruntime==1.23.2');
  });

  it('takes the hashes of a lock along', () => {
    const text =
      'a==1; python_version >= "3.10" \\\n    --hash=sha256:0 \\\n    --hash=sha256:1\nb==2 \\\n    --hash=sha256:2\n';
    expect(requirementsFor('3.11', text)).toEqual([
      'a==1 --hash=sha256:0 --hash=sha256:1',
      'b==2 --hash=sha256:2',
    ]);
    expect(requirementsFor('3.9', text)).toEqual(['b==2 --hash=sha256:2']);
  });

  it('leaves other markers to pip and takes comments away', () => {
    const text = '# all\na==1 # why\nb==2; sys_platform == "linux"\n\n';
    expect(requirementsFor('3.11', text)).toEqual(['a==1', 'b==2; sys_platform == "linux"']);
  });
});

describe('platformFlags', () => {
  it("names Debian 12's Python and C library for the processor of the engine", () => {
    const flags = platformFlags('aarch64').join(' ');
    expect(flags).toContain('--python-version 3.11');
    expect(flags).toContain('--platform manylinux_2_36_aarch64');
    expect(flags).not.toContain('manylinux_2_37');
    expect(flags).not.toContain('x86_64');
  });
});

describe('fillWheelhouse', () => {
  it('asks for the CPU build of torch first and keeps what came', async () => {
    await putFaultyPip('exit 0');
    const folder = await fill();
    expect(folder).toMatch(/cache\/wheels-[0-9a-f]{12}$/);
    const first = (await asked())[0];
    expect(first).toMatch(/-m pip download .* --no-deps --require-hashes -r .*requirements\.txt$/);
    expect((await asked())[1]).toMatch(/ --no-deps torch==[\d.]+\+cpu$/);
    expect((await asked())[2]).toMatch(/--no-deps --require-hashes -r .*perf-analyzer\.txt$/);
    expect(await fill()).toBe(folder);
    expect(await asked()).toHaveLength(3);
  });

  it('takes the plain torch where no index has the other', async () => {
    await putFaultyPip('case "$*" in *+cpu*) exit 1;; esac');
    expect(await fill()).not.toBeNull();
    expect((await asked())[2]).toMatch(/ torch==[\d.]+$/);
    expect(await asked()).toHaveLength(4);
  });

  it('leaves the packages to the build when they are refused, and nothing behind', async () => {
    await putFaultyPip('echo "ERROR: no route" >&2; exit 1');
    const lines: string[] = [];
    expect(await fill((line) => lines.push(line))).toBeNull();
    expect(lines).toContain('ERROR: no route');
    expect(await readdir(join(home, 'cache'))).toEqual([]);
  });

  it('leaves them to the build where there is no Python', async () => {
    expect(await fill()).toBeNull();
  });

  it('ends at once when it is cancelled', async () => {
    await putFaultyPip('echo "Collecting torch"; exec sleep 600');
    const controller = new AbortController();
    const filling = fill(() => {
      controller.abort();
    }, controller);
    expect((await rejection(filling)).code).toBe('cancelled');
    expect(await readdir(join(home, 'cache'))).toEqual([]);
  });
});
