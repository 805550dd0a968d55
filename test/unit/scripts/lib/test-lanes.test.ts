import { resolve } from 'node:path';
import { expect, it } from 'vitest';

interface Job {
  readonly name: string;
  readonly after?: string;
}
const { runLanes } = (await import(resolve('scripts/lib/test-lanes.mjs'))) as {
  runLanes: (
    queues: { readonly whole: readonly Job[]; readonly light: readonly Job[] },
    run: (job: Job) => Promise<void>,
    isStopped?: () => boolean,
  ) => Promise<void>;
};

/** Jobs that end when they are told to. */
function started() {
  const ends = new Map<string, { readonly end: () => void; readonly fail: (reason: Error) => void }>();
  const begun: string[] = [];
  const settle = () => new Promise((done) => setImmediate(done));
  return {
    begun,
    run: ({ name }: Job) =>
      new Promise<void>((end, fail) => {
        begun.push(name);
        ends.set(name, { end, fail });
      }),
    end: async (...names: readonly string[]) => {
      await settle();
      for (const name of names) ends.get(name)?.end();
      await settle();
      return [...begun];
    },
    fail: async (name: string) => {
      await settle();
      ends.get(name)?.fail(new Error(name));
    },
  };
}
const named = (...names: readonly string[]): Job[] => names.map((name) => ({ name }));

it('runs two of the whole and two of the light beside them, and a third of the whole once no light is left', async () => {
  const { run, end } = started();
  const all = runLanes({ whole: named('a', 'b', 'c', 'd'), light: named('x', 'y', 'z') }, run);
  expect(await end()).toEqual(['a', 'b', 'x', 'y']);
  expect(await end('x')).toEqual(['a', 'b', 'x', 'y', 'z']);
  expect(await end('b')).toEqual(['a', 'b', 'x', 'y', 'z', 'c']);
  expect(await end('z')).toEqual(['a', 'b', 'x', 'y', 'z', 'c', 'd']);
  await end('a', 'c', 'd', 'y');
  await all;
});

it('gives the light to every lane once none of the whole is left', async () => {
  const { run, end } = started();
  const all = runLanes({ whole: named('a'), light: named('w', 'x', 'y', 'z') }, run);
  expect((await end()).sort()).toEqual(['a', 'w', 'x', 'y']);
  expect(await end('a')).toContain('z');
  await end('w', 'x', 'y', 'z');
  await all;
});

it('keeps a job back until the one that it comes after has ended, and takes the next', async () => {
  const { run, end } = started();
  const whole = [{ name: 'a' }, { name: 'late', after: 'y' }, { name: 'b' }];
  const all = runLanes({ whole, light: named('x', 'y') }, run);
  expect(await end()).toEqual(['a', 'b', 'x', 'y']);
  expect(await end('a', 'b', 'x')).toEqual(['a', 'b', 'x', 'y']);
  expect(await end('y')).toEqual(['a', 'b', 'x', 'y', 'late']);
  await end('late');
  await all;
});

it('does not wait for a job that nobody asked for', async () => {
  const { begun, run, end } = started();
  const all = runLanes({ whole: [{ name: 'late', after: 'absent' }], light: [] }, run);
  await end('late');
  await all;
  expect(begun).toEqual(['late']);
});

it('begins nothing once it is stopped, and fails with the job that fails', async () => {
  const { begun, run, end, fail } = started();
  let isStopped = false;
  const stopped = runLanes({ whole: named('a', 'b', 'c', 'd', 'e'), light: [] }, run, () => isStopped);
  await end();
  isStopped = true;
  await end('a', 'b', 'c', 'd');
  await stopped;
  expect(begun).toEqual(['a', 'b', 'c', 'd']);

  const failing = runLanes({ whole: named('f'), light: [] }, run);
  await fail('f');
  await expect(failing).rejects.toThrow('f');
});
