import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readLengths, requireMade, specifiedText } from '../../../main/cli/read-lengths';
import { rejection } from '../../support/rejection';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-lengths-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

it('reads quantiles or a file, and says what is wrong with either', async () => {
  expect((await readLengths('8,16,32')).drawn).toHaveLength(100);
  expect((await readLengths('8,16,32', 4)).drawn).toHaveLength(4);
  expect(new Set((await readLengths('64')).drawn)).toEqual(new Set([64]));
  const file = join(dir, 'lengths.txt');
  await writeFile(file, '12\n30\n7\n');
  expect(await readLengths(file)).toEqual({ text: '3 lengths of lengths.txt', drawn: [12, 30, 7] });
  expect((await readLengths(file, 2)).drawn).toEqual([12, 30]);
  for (const [text, message] of [
    ['16,8,32', 'not in ascending order'],
    ['p50,p95,max', 'cannot be read'],
    [join(dir, 'absent'), 'cannot be read'],
  ] as const) {
    expect(await rejection(readLengths(text))).toMatchObject({
      ...{ code: 'input-invalid', where: '--length-distribution' },
      message: expect.stringContaining(message) as string,
    });
  }
});

it('is of values that are made, and not of those of a file', () => {
  const check = (sources: readonly string[]) => () => {
    requireMade('8,16,32', sources);
  };
  expect(check(['/data/texts.json'])).toThrow('sends those of texts.json');
  expect(check(['a=/data/texts.json'])).toThrow('texts.json');
  for (const sources of [[], ['random'], ['zero'], ['a=random']]) expect(check(sources)).not.toThrow();
});

it('writes them as a specification has them', async () => {
  const file = join(dir, 'lengths.txt');
  await writeFile(file, '12\n30\n7\n');
  expect(await specifiedText(file)).toBe('12 30 7');
  expect(await specifiedText(' 32, 128,512 ')).toBe('32,128,512');
  for (const text of ['64', 'dataset']) expect(await specifiedText(text)).toBe(text);
  expect(await rejection(specifiedText('32,16,64'))).toMatchObject({ code: 'input-invalid' });
});
