import { describe, expect, it } from 'vitest';
import { createOpenings, openedBy } from '../../../electron/opening';

const app = '/usr/lib/triton-workbench/resources/app.asar';

describe('what the arguments ask to open', () => {
  it.each([
    [['triton-workbench'], []],
    [['triton-workbench', '--no-sandbox', 'run.yaml'], ['/folder/run.yaml']],
    [['triton-workbench', '/else/where.yaml', ''], ['/else/where.yaml']],
    [['triton-workbench', 'triton-workbench://run/a'], ['triton-workbench://run/a']],
    [['triton-workbench', 'file:///a/run.yaml'], ['file:///a/run.yaml']],
    [['electron', '--no-sandbox', app, 'x.yaml'], ['/folder/x.yaml']],
  ])('%j', (argv, asked) => {
    expect(openedBy(argv, '/folder', app)).toEqual(asked);
  });

  it('is nothing for the app of a clone, named from its own folder', () => {
    expect(openedBy(['electron', '.'], '/clone', '/clone')).toEqual([]);
  });
});

describe('the openings', () => {
  const made = (read: (path: string) => Promise<string> = (path) => Promise.resolve(`text of ${path}`)) => {
    let asked = 0;
    const openings = createOpenings({
      read,
      onAsked: () => {
        asked += 1;
      },
    });
    return { ...openings, asked: () => asked };
  };

  it('are kept in order until they are taken, and each is told', async () => {
    const { add, take, asked } = made();
    add(['triton-workbench://run/one', '/w/run.yaml']);
    add(['file:///w/a%20b.yaml']);
    expect(asked()).toBe(3);
    expect(await take()).toEqual({ kind: 'run', runId: 'one' });
    expect(await take()).toEqual({
      kind: 'configuration',
      fileName: 'run.yaml',
      text: 'text of /w/run.yaml',
    });
    expect(await take()).toEqual({
      kind: 'configuration',
      fileName: 'a b.yaml',
      text: 'text of /w/a b.yaml',
    });
    expect(await take()).toBeNull();
  });

  it.each([
    ['triton-workbench://run/../../etc', 'does not name a run'],
    ['triton-workbench:run/a', 'does not name a run'],
    ['TRITON-WORKBENCH://run/a', 'does not name a run'],
    ['file://server/share/run.yaml', 'not that of a file on this machine'],
  ])('refuse %s and read nothing', async (address, message) => {
    const { add, take } = made(() => Promise.reject(new Error('nothing is to be read')));
    add([address]);
    await expect(take()).rejects.toMatchObject({
      code: 'input-invalid',
      message: expect.stringContaining(message) as string,
    });
    expect(await take()).toBeNull();
  });

  it('give the failure of a file that cannot be read, and the next one after it', async () => {
    const { add, take } = made((path) =>
      path === '/a' ? Promise.reject(new Error('gone')) : Promise.resolve('b'),
    );
    add(['/a', '/b']);
    await expect(take()).rejects.toThrow('gone');
    expect(await take()).toMatchObject({ fileName: 'b' });
  });
});
