import type { Command, Option } from 'commander';
import { invalidInput } from '../../contract/errors';
import { longFlag } from '../../contract/fields/field';
import { fields } from '../../contract/fields/fields';
import { isTree, type Tree } from '../../contract/trees';
import { parseYaml } from '../../platform/parse-yaml';
import { readBoundedFile } from '../../platform/plain-entry';
import { commandsOf, isFlag, optionsOf, pathOf, verbIn } from './command-tree';

const mostBytes = 64 * 1024;

/** Defaults by verb: "images build" → options without dashes. */
export interface CliConfig {
  readonly file: string;
  readonly verbs: Tree;
}

/** null without a file. Throws input-invalid for an unreadable one. */
export async function readConfig(paths: readonly string[]): Promise<CliConfig | null> {
  for (const file of paths) {
    const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
    if ('problem' in found) {
      if (found.problem === 'it does not exist') continue;
      throw invalidInput(file, `The defaults cannot be read: ${found.problem}`, 'Fix or remove the file.');
    }
    let verbs: unknown;
    try {
      verbs = parseYaml(found.text) ?? {};
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw invalidInput(file, `The defaults cannot be read: ${reason}`, 'Fix or remove the file.');
    }
    if (isTree(verbs)) return { file, verbs };
    throw invalidInput(
      file,
      'The defaults must list options under their command',
      'For example: {perf: {url: "localhost:8000"}}',
    );
  }
  return null;
}

/** Consent and safety overrides must be typed each time. */
const agreedEachTime: ReadonlySet<string> = new Set([
  ...['trust', 'yes', 'force', 'allow-remote-load', 'allow-unverified', 'tls-insecure'],
]);

const nameOf = ({ long, flags }: Option): string => (long ?? flags).replace(/^--/, '');

function wordsOf(option: Option, value: unknown, place: string, file: string): readonly string[] {
  const flag = option.long ?? option.flags;
  const takesValue = option.required || option.optional;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((one) => {
    if (!takesValue && one === true) return [flag];
    if (!takesValue && one === false) return [];
    if (takesValue && (typeof one === 'string' || typeof one === 'number')) return [`${flag}=${one}`];
    const wanted = takesValue ? 'a text, a number, or a list of them' : 'true or false';
    throw invalidInput(file, `${place} must be ${wanted}`, 'Quote texts with special characters.');
  });
}

/** Unknown keys are errors, so that a misspelled default does not go unnoticed. */
function checkedVerbs(
  program: Command,
  { file, verbs }: CliConfig,
): ReadonlyMap<Command, Map<Option, readonly string[]>> {
  const commands = commandsOf(program);
  const found = new Map<Command, Map<Option, readonly string[]>>();
  for (const [verb, values] of Object.entries(verbs)) {
    const command = commands.find((one) => pathOf(one) === verb);
    if (command === undefined) {
      throw invalidInput(
        file,
        `"${verb}" is not a command`,
        `Commands are: ${commands.map(pathOf).join(', ')}.`,
      );
    }
    if (!isTree(values)) {
      throw invalidInput(file, `"${verb}" must have options`, `For example: ${verb}: {json: true}`);
    }
    const words = new Map<Option, readonly string[]>();
    for (const [key, value] of Object.entries(values)) {
      const option = optionsOf(command).find((one) => nameOf(one) === key);
      if (option === undefined) {
        const remedy = `See "${program.name()} ${verb} --help" for its options; write them without dashes.`;
        throw invalidInput(file, `"${key}" is not an option of ${verb}`, remedy);
      }
      if (agreedEachTime.has(key)) {
        throw invalidInput(
          file,
          `${verb}.${key} needs your consent each time`,
          'Give it on the command line.',
        );
      }
      words.set(option, wordsOf(option, value, `${verb}.${key}`, file));
    }
    found.set(command, words);
  }
  return found;
}

const choosing: ReadonlySet<string> = new Set([
  ...fields.flatMap(({ option }) => (option === undefined ? [] : [longFlag(option).slice(2)])),
  ...['set', 'gpu', 'shape'],
]);

/** Options whose default is dropped when the other one is typed. */
const exclusive: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['url', 'metrics-url', 'host', 'header', 'probe', 'shape', 'record'].map((name) => [name, ['replay']]),
  ),
  sections: ['without'],
  without: ['sections'],
  'request-rate': ['request-intervals'],
  'request-intervals': ['request-rate'],
};

/** Typed options that drop the default of `name`. A specification from a file takes no defaults. */
const outdoneBy = (name: string): readonly string[] => [
  ...(choosing.has(name) ? ['spec', 'matrix'] : []),
  ...(exclusive[name] ?? []),
];

/** "-b8" is "-b 8". */
const isJoined = ({ short }: Option, word: string): boolean =>
  short?.length === 2 && !word.startsWith('--') && word.startsWith(short);

/**
 * The command line with the defaults of its verb in front of the typed words. A default is dropped if the option, or
 * one that excludes it, was typed. Throws input-invalid for a key that is not an option.
 * @param typed the command line after the program's name
 */
export function withDefaults(
  program: Command,
  config: CliConfig,
  typed: readonly string[],
): readonly string[] {
  const all = checkedVerbs(program, config);
  const { command, words } = verbIn(program, typed);
  const defaults = all.get(command);
  if (defaults === undefined) return typed;
  const rest = typed.slice(words);
  const isTyped = (option: Option): boolean =>
    rest.some((word) => isFlag(option, word.split('=')[0] ?? '') || isJoined(option, word));
  const isNamed = (name: string): boolean =>
    optionsOf(command).some((option) => nameOf(option) === name && isTyped(option));
  const added = [...defaults].flatMap(([option, given]) =>
    isTyped(option) || outdoneBy(nameOf(option)).some(isNamed) ? [] : given,
  );
  return [...typed.slice(0, words), ...added, ...rest];
}
