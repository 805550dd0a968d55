import type { Command } from 'commander';
import { invalidInput } from '../contract/errors';
import { helpText } from './help/help-layout';
import { addVerbHelp, helpPage, optionSentence } from './help/help-page';
import type { CliContext } from './output';
import { hasColors, helpWidth } from './print/terminal';
import { Verb } from './verb';

/** Throws input-invalid for an empty path (an unset shell variable), which would mean the working directory. */
function requirePaths(_program: Command, verb: Command): void {
  const typed: readonly (readonly [name: string, flags: string, value: unknown])[] = [
    ...verb.options.map((option) => {
      const { long, flags } = option;
      return [long ?? flags, flags, verb.getOptionValue(option.attributeName())] as const;
    }),
    ...verb.registeredArguments.map((argument, at) => {
      const name = `<${argument.name()}>`;
      return [name, name, verb.args[at]] as const;
    }),
  ];
  const empty = typed.find(([, flags, value]) => value === '' && /<(?:path|dir|file)>/.test(flags));
  if (empty !== undefined) throw invalidInput(empty[0], 'The path is empty', 'For this folder, use ".".');
}

type AddVerbs = (program: Verb, context: CliContext) => void;

/** Verbs that are asked for often and need little of what the others load. */
const light: Readonly<Record<string, () => Promise<AddVerbs>>> = {
  run: async () => (await import('./run')).addRun,
  spec: async () => (await import('./spec')).addSpec,
  runs: async () => (await import('./print/listing')).addRuns,
  show: async () => (await import('./runs/show')).addShow,
  presets: async () => (await import('./presets')).addPresets,
  settings: async () => (await import('./settings')).addSettings,
  studies: async () => (await import('./studies/studies')).addStudies,
};

/** Adds the verb of these words, or null where all are needed. @param words without the program's name */
export async function lightVerbs(words: readonly string[]): Promise<AddVerbs | null> {
  const verb = words.find((word) => !word.startsWith('-')) ?? '';
  return Object.hasOwn(light, verb) ? ((await light[verb]?.()) ?? null) : null;
}

/** The command tree; with all verbs the source of completion, manual page and reference. */
export function createProgram(context: CliContext, version: string, addVerbs: AddVerbs): Command {
  const program = new Verb(context, 'triton-workbench')
    .description(
      'Deploy models on NVIDIA Triton Inference Server: export, convert, configure, deploy, check, measure, report.',
    )
    .version(version)
    .option('-q, --quiet', 'print results and errors only')
    .option('--no-color', 'print without colors, also to a terminal')
    .configureHelp({
      optionDescription: optionSentence,
      formatHelp: (command) => helpText(helpPage(command), helpWidth()),
    })
    .configureOutput({
      // `usageError` reports mistakes on one line.
      outputError: () => undefined,
      getOutHelpWidth: helpWidth,
      getOutHasColors: () => hasColors('stdout'),
    })
    .exitOverride()
    .hook('preAction', requirePaths);
  addVerbs(program, context);
  addVerbHelp(program);
  return program;
}
