import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { commandsOf, pathOf } from '../../../../main/cli/help/command-tree';
import { helpAsked, prebuiltHelpFile, printPrebuilt } from '../../../../main/cli/help/prebuilt-help';
import { prebuiltHelp } from '../../../../scripts/lib/package/write-prebuilt-help';
import { programWith } from '../../../support/cli-program';

const program = programWith();
const commands = [program, ...commandsOf(program)].map((command) => [pathOf(command), command] as const);

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-help-'));
  await writeFile(join(folder, prebuiltHelpFile), JSON.stringify(prebuiltHelp()));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** What is printed, and whether it was. */
function printed(bundles: string, command: string): readonly [boolean, string] {
  const shown: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => shown.push(String(text)) > 0);
  // Listeners of one process each.
  vi.spyOn(process.stdout, 'on').mockReturnThis();
  vi.spyOn(process.stderr, 'on').mockReturnThis();
  return [printPrebuilt(bundles, command, []), shown.join('')];
}

it.each(commands)('"%s": the page of the build is the help that the program prints', (verb, command) => {
  const shown: string[] = [];
  command.configureOutput({ ...command.configureOutput(), writeOut: (text) => void shown.push(text) });
  command.outputHelp();
  expect(printed(folder, verb)).toEqual([true, shown.join('')]);
});

it('has colors where the stream has them', () => {
  vi.stubEnv('FORCE_COLOR', '1');
  vi.stubEnv('NO_COLOR', '');
  expect(printed(folder, 'run')[1]).toContain('\u001b[1mUsage:\u001b[0m');
});

it('leaves to the program what it has no page of, and everything without the file', async () => {
  expect(printed(folder, 'shwo')).toEqual([false, '']);
  expect(printed(folder, 'toString')).toEqual([false, '']);
  expect(printed(join(folder, 'none'), 'run')).toEqual([false, '']);
  const damaged = await mkdtemp(join(folder, 'damaged-'));
  await writeFile(join(damaged, prebuiltHelpFile), '{');
  expect(printed(damaged, 'run')).toEqual([false, '']);
});

it.each([
  [['--help'], ''],
  [['-h'], ''],
  [['help'], ''],
  [['run', '--help'], 'run'],
  [['images', 'build', '-h'], 'images build'],
  [['help', 'images', 'build'], 'images build'],
  [['run'], null],
  [['run', '--profile', 'quick', '--help'], null],
  [['run', '--help', 'resnet50'], null],
  [['--no-color', '--help'], null],
  [['help', 'run', '--no-color'], null],
  [[], null],
])('%j asks for the help of %j', (words, command) => {
  expect(helpAsked(words)).toBe(command);
});
