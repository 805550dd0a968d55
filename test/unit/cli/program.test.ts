import type { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandsOf, pathOf, usageError } from '../../../main/cli/help/command-tree';
import { verbHelp } from '../../../main/cli/help/verb-help';
import { createProgram, lightVerbs } from '../../../main/cli/program';
import { contextOf, parseOnly, programWith, shellWords } from '../../support/cli-program';
import { rejection } from '../../support/rejection';

const verbs = commandsOf(programWith()).map(pathOf);

const fail = () => {
  throw new Error('not a light verb');
};

describe('the command tree', () => {
  it('has help with examples for every verb, and for nothing else', () => {
    expect(Object.keys(verbHelp).sort()).toEqual([...verbs].sort());
  });

  const examples = Object.entries(verbHelp).flatMap(([verb, { examples: own }]) =>
    own.map(([line]) => [verb, line.split(' > ')[0] ?? line] as const),
  );
  it.each(examples)('%s: the example "%s" is understood', async (verb, line) => {
    const command = await parseOnly(shellWords(line));
    expect([pathOf(command), pathOf(command).split(' ')[0]]).toContain(verb);
  });

  it.each(verbs.filter((verb) => !verb.includes(' ')))('%s is in a group of the help', (verb) => {
    const text = programWith().helpInformation();
    const groups = text.slice(text.indexOf('Deploy and measure:'));
    expect(groups).toMatch(new RegExp(`^  ${verb} `, 'm'));
    expect(text).not.toContain('\nCommands:');
  });

  it.each([
    ['run', ['run']],
    ['spec', ['spec']],
    ['runs', ['runs']],
    ['show', ['show']],
    ['presets', ['presets']],
    ['settings', ['settings']],
    ['studies', ['studies']],
  ])('loads little for %s, with the same help', async (verb, added) => {
    const add = await lightVerbs(['--quiet', verb, '--json']);
    const few = createProgram(contextOf(), '0.0.0-test', add ?? fail);
    expect(few.commands.map((one) => one.name())).toEqual([...added, 'help']);
    const helpIn = (program: Command) => {
      const shown: string[] = [];
      const found = program.commands.find((one) => one.name() === verb);
      found?.configureOutput({ writeOut: (text) => shown.push(text) }).outputHelp();
      return shown.join('');
    };
    expect(helpIn(few)).toBe(helpIn(programWith()));
  });

  it.each([[['perf', 'resnet50']], [['--help']], [['nosuch']], [['toString']], [[]]])(
    'loads every verb for %j',
    async (words) => {
      expect(await lightVerbs(words)).toBeNull();
    },
  );

  it.each([
    [['trust', ''], '<path>'],
    [['init', ''], '<dir>'],
    [['run', 'resnet50', '--dataset', ''], '--dataset'],
    [['run', 'resnet50', '--out', ''], '--out'],
    [['bundle', 'latest', '--out', ''], '--out'],
    [['monitor', '--url', 'localhost:8000', '--csv', ''], '--csv'],
  ])('takes no empty path for the folder of the command: %j', async (words, where) => {
    const { code, ...rest } = await rejection(parseOnly(words));
    expect({ code, where: rest.where }).toEqual({ code: 'input-invalid', where });
  });

  it.each([
    ['setup', 'nosuch'],
    ['setup', '--check', '--remove'],
    ['detect', '--format', 'xx'],
    ['deploy', 'latest', '--to', 'a', '--name', 'b'],
    ['report', 'latest', '--sections', 'nosuch'],
    ['rename', 'latest', ' '],
    ['resume', 'latest', '--from', 'nosuch'],
    ['hosts', 'remove', 'No Host'],
  ])('refuses what is typed before a core is made for it: %s %s', async (...words) => {
    const refused = await rejection(programWith().parseAsync(words, { from: 'user' }));
    expect(['input-invalid', 'host-unknown']).toContain(refused.code);
  });

  it('has distinct exit codes for each verb, in its help', () => {
    const compare = programWith().commands.find((command) => command.name() === 'compare');
    const shown: string[] = [];
    compare?.configureOutput({ writeOut: (text) => shown.push(text) }).outputHelp();
    expect(shown.join('')).toMatch(/Exit codes:[^]* 3 +beyond a criterion[^]* 4 +a criterion/);
    for (const [verb, { exits = [] }] of Object.entries(verbHelp)) {
      const codes = [0, 1, 2, ...exits.map(([code]) => code)];
      expect(new Set(codes).size, verb).toBe(codes.length);
    }
  });
});

describe('names of perf_analyzer', () => {
  const options = async (...words: string[]) => (await parseOnly(words)).opts();

  it('are understood by perf and run', async () => {
    const load = ['-b', '4', '--concurrency-range', '1:4', '-p', '2s', '-i', 'http', '-s', '5', '-r', '7'];
    const wanted = {
      ...{ batchSizes: '4', concurrency: '1:4', measurementIntervalMs: '2s', protocol: 'http' },
      ...{ stabilityPercentage: '5', maxTrials: '7' },
    };
    const perf = await options(
      'perf',
      '-m',
      'resnet50',
      '-u',
      'triton:8000',
      '-f',
      'a.csv',
      '-x',
      '2',
      ...load,
    );
    expect(perf).toMatchObject({
      ...wanted,
      ...{ model: ['resnet50'], url: 'triton:8000', csv: 'a.csv', modelVersion: '2' },
    });
    expect(await options('run', 'resnet50', '-m', 'mine', '-u', 'triton:8000', ...load)).toMatchObject({
      ...wanted,
      ...{ modelName: 'mine', url: 'triton:8000' },
    });
    const tls = [
      '--ssl-grpc-root-certifications-file',
      'ca.pem',
      '--request-rate-range',
      '10:20:5',
      '-l',
      '20',
    ];
    expect(
      await options('perf', '-m', 'a', '-u', 'b', '--measurement-interval', '500', ...tls),
    ).toMatchObject({
      ...{ measurementIntervalMs: '500', tlsCa: 'ca.pem', requestRate: '10:20:5', latencyThreshold: '20' },
    });
  });
});

describe('a wrong command line', () => {
  const said = async (...words: string[]): Promise<string | null> => {
    const program = programWith();
    const error = await program.parseAsync(words, { from: 'user' }).catch((reason: unknown) => reason);
    return usageError(program, words, error as CommanderError);
  };

  it('is told on one line, with the nearest name and where the help is', async () => {
    expect(await said('perf', '-u', 'a', '-m', 'b', '--concurency', '4')).toBe(
      'error: unknown option \'--concurency\' (Did you mean --concurrency?). See "triton-workbench perf --help".',
    );
    expect(await said('images', 'remove')).toBe(
      'error: missing required argument \'name-or-id\'. See "triton-workbench images remove --help".',
    );
    expect(await said('shwo')).toBe(
      'error: unknown command \'shwo\' (Did you mean show?). See "triton-workbench --help".',
    );
  });
});

it('quiet may be given anywhere', async () => {
  for (const words of [
    ['-q', 'runs'],
    ['runs', '--quiet'],
  ]) {
    expect((await parseOnly(words)).optsWithGlobals()).toMatchObject({ quiet: true });
  }
});
