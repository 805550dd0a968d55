import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ComponentId, onDemandIds } from '../../../main/contract/setup';
import { exists } from '../../../main/platform/files';
import { homeLayout } from '../../../main/platform/layout';
import { pythonStamp } from '../../../main/setup/python';
import { createPythonOnDemand, createSetup } from '../../../main/setup/setup';
import { writeFacts, writeStamp } from '../../../main/setup/stamps';
import { tritonComponent } from '../../../main/setup/triton';
import { takeFileLease } from '../../../main/store/file-lease';
import { rejection } from '../../support/rejection';
import { until } from '../../support/until';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'twb-setup-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Without programs on the PATH and without an index. */
const env = { PATH: '/nowhere', HOME: '/nowhere', PIP_CONFIG_FILE: '/dev/null' };
const setupAt = (at: string) => createSetup({ layout: homeLayout(at), resources: 'resources', env });
const listenerOf = (signal: AbortSignal, texts: string[] = []) => ({
  signal,
  onComponent: () => undefined,
  onStderrLine: () => undefined,
  onProgress: (_fraction: number | null, text: string) => void texts.push(text),
});
const never = new AbortController().signal;

/** What the set-up leaves of the Python environment, without its packages. */
async function putPython(at: string): Promise<void> {
  const layout = homeLayout(at);
  const folder = dirname(dirname(layout.python));
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(layout.python, '');
  await writeFile(join(folder, 'pyvenv.cfg'), 'version_info = 3.11.7\n');
  await writeStamp(folder, await pythonStamp({ layout, resources: 'resources' }));
}
const stateOf = async (at: string) => (await setupAt(at).status('python')).state;

describe('the state of a component', () => {
  it('is ready with its stamp, outdated with another one, broken without, missing without a folder', async () => {
    expect(await stateOf(home)).toBe('missing');
    await putPython(home);
    expect(await setupAt(home).status('python')).toEqual({
      ...{ id: 'python', state: 'ready', version: '3.11.7', bytes: null },
    });
    await writeFacts(join(home, 'python'), { version: '3.11.7', bytes: 12 });
    expect((await setupAt(home).status('python')).bytes).toBe(12);
    await writeStamp(join(home, 'python'), 'of other versions');
    expect(await stateOf(home)).toBe('outdated');
    await rm(join(home, 'python', '.stamp'));
    expect(await stateOf(home)).toBe('broken');
  });

  it('is broken where the interpreter that it was made with is gone', async () => {
    await putPython(home);
    await rm(join(home, 'python', 'bin', 'python'));
    await symlink('/gone/python', join(home, 'python', 'bin', 'python'));
    expect(await stateOf(home)).toBe('broken');
  });

  it('is that of the home which a link leads to', async () => {
    await putPython(home);
    const other = join(home, 'other');
    await mkdir(other);
    await symlink(join(home, 'python'), join(other, 'python'));
    expect(await stateOf(other)).toBe('ready');
  });
});

/** What the set-up leaves of Triton, without the files of its backends. */
async function putTriton(at: string): Promise<void> {
  const layout = homeLayout(at);
  const files = tritonComponent.files(layout).filter((file) => file !== layout.python);
  for (const file of files) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, '');
  }
  const stamp = await tritonComponent.stamp({ layout, resources: 'resources' });
  await writeStamp(tritonComponent.folder(layout), stamp ?? '');
}

describe('Triton', () => {
  const pythonIs = (text: string) => writeFile(join(home, 'python', 'pyvenv.cfg'), text);
  const tritonState = async () => (await setupAt(home).status('triton')).state;

  it('is outdated after Python became another minor version, not after a patch of it', async () => {
    await putPython(home);
    await putTriton(home);
    expect(await tritonState()).toBe('ready');
    await pythonIs('version_info = 3.11.9\n');
    expect(await tritonState()).toBe('ready');
    await pythonIs('version_info = 3.12.1\n');
    expect(await tritonState()).toBe('outdated');
    expect(await setupAt(home).plan(['triton'], { repair: false })).toEqual(['triton']);
  });
});

describe('what is done', () => {
  it('has what is needed first, and what was made from it after it', async () => {
    expect(await setupAt(home).plan(['triton'], { repair: false })).toEqual(['python', 'triton']);
    await putPython(home);
    await mkdir(join(home, 'triton'));
    expect(await setupAt(home).plan(['perf-analyzer'], { repair: false })).toEqual(['perf-analyzer']);
    expect(await setupAt(home).plan(['python'], { repair: false })).toEqual([]);
    expect(await setupAt(home).plan(['python'], { repair: true })).toEqual(['python', 'triton']);
  });

  it('leaves an outdated environment as it is where it is only needed', async () => {
    await putPython(home);
    await writeStamp(join(home, 'python'), 'of other versions');
    expect(await setupAt(home).plan(['tensorflow'], { repair: false })).toEqual(['tensorflow']);
    expect(await setupAt(home).plan(['python'], { repair: false })).toEqual(['python']);
  });

  it('says in one sentence that there is neither uv nor a Python with pip, and leaves nothing', async () => {
    const error = await rejection(setupAt(home).install(['python'], { repair: false }, listenerOf(never)));
    expect(error).toMatchObject({ code: 'toolchain-missing' });
    expect(error.message).toContain('uv');
    for (const left of ['python', 'python.new', 'setup.lease'])
      expect(await exists(join(home, left))).toBe(false);
  });

  it('waits for its turn, and gives up waiting when cancelled', async () => {
    const other = await takeFileLease(join(home, 'setup.lease'));
    const stop = new AbortController();
    const texts: string[] = [];
    const waiting = setupAt(home).install(['python'], { repair: false }, listenerOf(stop.signal, texts));
    await until('it waits', () => texts.length > 0);
    expect(texts).toEqual(['Waiting for another installation to finish']);
    stop.abort();
    expect((await rejection(waiting)).code).toBe('cancelled');
    await other.release?.();
  });

  it('removes a component with what was made from it', async () => {
    await putPython(home);
    await mkdir(join(home, 'triton'));
    await mkdir(join(home, 'uv', 'cache'), { recursive: true });
    await setupAt(home).remove(['python'], listenerOf(never));
    for (const gone of ['python', 'triton', 'uv/cache', 'python.removed']) {
      expect(await exists(join(home, gone))).toBe(false);
    }
  });
});

describe.each(onDemandIds)('%s for the first run that needs it', (id) => {
  it('needs the Python of the workbench, which a run does not install', async () => {
    const ensure = createPythonOnDemand(setupAt(home), homeLayout(home), id);
    expect((await rejection(ensure(listenerOf(never)))).code).toBe('toolchain-missing');
  });

  it('is made once, by whichever run is first', async () => {
    await putPython(home);
    const asked: (readonly string[])[] = [];
    const setup = {
      status: (of: ComponentId) =>
        Promise.resolve({
          ...{ id: of, version: null, bytes: null },
          state: of === 'python' || asked.length > 0 ? ('ready' as const) : ('missing' as const),
        }),
      install: (ids: readonly string[]) => {
        asked.push(ids);
        return Promise.resolve();
      },
    };
    const ensure = createPythonOnDemand(setup, homeLayout(home), id);
    expect(await ensure(listenerOf(never))).toBe(homeLayout(home)[id]);
    await ensure(listenerOf(never));
    expect(asked).toEqual([[id]]);
  });
});

it('the stamp of an environment covers its pins and its lock', async () => {
  const { createHash } = await import('node:crypto');
  const before = createHash('sha256').update('python 2\0').update(`${home}\0`);
  for (const name of ['runtime.txt', 'locked/runtime.txt'])
    before.update(`${await readFile(join('resources/requirements', name), 'utf8')}\0`);
  expect(await pythonStamp({ layout: homeLayout(home), resources: 'resources' })).toBe(before.digest('hex'));
});
