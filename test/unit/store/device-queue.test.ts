import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { deviceOfUrl, thisMachine } from '../../../main/engine/engine';
import { takeDevice } from '../../../main/store/device-queue';
import { bundleChild, startChild } from '../../support/child-program';
import { rejection } from '../../support/rejection';
import { until } from '../../support/until';

let dir: string;
let root: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'devices-'));
  root = join(dir, 'devices');
});
afterEach(async () => {
  await rm(dir, { recursive: true });
});

/** One that wants the device, and what it was told. */
function asking(what: string, device = thisMachine) {
  const controller = new AbortController();
  const reported: string[] = [];
  const turn = takeDevice({
    root,
    device,
    what,
    signal: controller.signal,
    onWaiting: (forWhat) => {
      reported.push(forWhat);
    },
  });
  return {
    turn,
    reported,
    cancel: () => {
      controller.abort();
    },
  };
}
const folder = () => join(root, encodeURIComponent(thisMachine));
const tickets = async (count: number) =>
  until(
    `${count} stand in line`,
    async () => (await readdir(folder())).filter((name) => name.endsWith('.ticket')).length === count,
  );

it('lets one after the other have it, in the order of asking, and says for whom they wait', async () => {
  const order: string[] = [];
  const a = asking('a');
  const releaseA = await a.turn;
  const waiting = [];
  for (const [index, what] of ['b', 'c', 'd'].entries()) {
    const one = asking(what);
    void one.turn.then(async (release) => {
      order.push(what);
      await release();
    });
    waiting.push(one);
    await tickets(index + 1);
    await until('it is told', () => one.reported.length > 0);
  }
  expect(waiting.map(({ reported }) => reported[0])).toEqual(['a', 'a', 'a']);
  expect(order).toEqual([]);
  await releaseA();
  await Promise.all(waiting.map(({ turn }) => turn));
  await until('all had their turn', () => order.length === 3);
  expect(order).toEqual(['b', 'c', 'd']);
  expect(a.reported).toEqual([]);
  await until('nothing is left', async () => (await readdir(folder())).length === 0);
});

it('does not keep another device waiting', async () => {
  const releases = await Promise.all([asking('a').turn, asking('b', deviceOfUrl('http://far:8000')).turn]);
  for (const release of releases) await release();
});

it('ends the wait when it is cancelled, and leaves the line to the others', async () => {
  const release = await asking('a').turn;
  const second = asking('b');
  await tickets(1);
  const third = asking('c');
  await tickets(2);
  second.cancel();
  expect((await rejection(second.turn)).code).toBe('cancelled');
  await release();
  await (
    await third.turn
  )();
});

it('passes a held device on when its holder and the first in line are killed', async () => {
  const program = await bundleChild('hold-device', join(dir, 'program'));
  const holder = startChild(program, [root, 'holder']);
  await until('it has the device', () => holder.lines.some((line) => line.startsWith('begin')));
  const first = startChild(program, [root, 'first']);
  await until('the first waits', () => first.lines.includes('waits for holder'));
  const own = asking('own');
  await until('it waits', () => own.reported.includes('holder'));
  await first.kill();
  await holder.kill();
  await (
    await own.turn
  )();
});

it('never has two at a time, whatever number of processes want it', async () => {
  const program = await bundleChild('hold-device', join(dir, 'program'));
  const children = Array.from({ length: 5 }, (_, index) => startChild(program, [root, `run-${index}`, '30']));
  await Promise.all(children.map((child) => child.ended));
  const turns = children
    .map(({ lines }) => {
      const at = (what: string) =>
        BigInt(lines.find((line) => line.startsWith(what))?.slice(what.length + 1) ?? -1);
      return { begin: at('begin'), end: at('end') };
    })
    .sort((a, b) => (a.begin < b.begin ? -1 : 1));
  expect(turns).toHaveLength(5);
  turns.forEach(({ begin, end }, index) => {
    expect(begin).toBeGreaterThan(0n);
    expect(begin).toBeGreaterThan(turns[index - 1]?.end ?? 0n);
    expect(end).toBeGreaterThan(begin);
  });
});

it('passes by what is no ticket', async () => {
  await mkdir(folder(), { recursive: true });
  await writeFile(join(folder(), '0000000000000001-000000000000.ticket'), '{"pid":');
  await writeFile(join(folder(), 'note.txt'), 'mine');
  const release = await asking('a').turn;
  await release();
  expect(await readdir(folder())).toEqual(['note.txt']);
});
