import { type Command, Help, type Option } from 'commander';
import { commandsOf, pathOf, requireKnownVerb, verbIn } from './command-tree';
import type { HelpPage } from './help-layout';
import { exitsOf, verbGroups, verbHelp } from './verb-help';

/** `help COMMAND`, as `COMMAND --help`. */
function addHelp(program: Command): void {
  program
    .command('help')
    .description('Show the help of a command')
    .helpGroup('Machine and program:')
    .argument('[command...]', 'a command, for example images build')
    .action((words: readonly string[]) => {
      requireKnownVerb(program, words);
      verbIn(program, words).command.outputHelp();
    });
}

/** Makes every option description a sentence. */
export function optionSentence(option: Option): string {
  const text = new Help().optionDescription(option);
  // Leaves words like "gRPC", "p99" and "run.yaml" as they are.
  const begun = /^[a-z]+(?![\w.])/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return `${begun}${/[.\]]$|\(default: [^)]*\)$/.test(text) ? '' : '.'}`;
}

const notes = [
  'Name a run by its id or a unique prefix of it, its name, latest, or latest~N. Help of a command: help COMMAND.',
  'Defaults of options: cli.yaml in the workbench home or in ~/.config/triton-workbench. Guide: docs/guide.',
];

/** The help of a command; without a name of its own, of the program. */
export function helpPage(command: Command): HelpPage {
  const help = command.createHelp();
  const verb = pathOf(command);
  const optionRow = (option: Option) => [help.optionTerm(option), help.optionDescription(option)] as const;
  const groups = [
    [
      'Arguments:',
      help
        .visibleArguments(command)
        .map((one) => [help.argumentTerm(one), help.argumentDescription(one)] as const),
    ] as const,
    ...[
      ...help.groupItems(
        [...command.options],
        help.visibleOptions(command),
        (one) => one.helpGroupHeading ?? 'Options:',
      ),
    ].map(([title, options]) => [title, options.map(optionRow)] as const),
    ...[
      ...help.groupItems(
        [...command.commands],
        help.visibleCommands(command),
        (one) => one.helpGroup() || 'Commands:',
      ),
    ].map(
      ([title, commands]) =>
        [
          title,
          commands.map((one) => [help.subcommandTerm(one), help.subcommandDescription(one)] as const),
        ] as const,
    ),
  ].filter(([, rows]) => rows.length > 0);
  const examples = (verbHelp[verb]?.examples ?? []).map(([line, what]) => ({
    line: `triton-workbench ${line}`,
    what,
  }));
  return {
    usage: help.commandUsage(command),
    description: help.commandDescription(command),
    groups,
    examples,
    exits: Object.hasOwn(verbHelp, verb)
      ? exitsOf(verb).map(([code, meaning]) => [String(code), meaning] as const)
      : [],
    notes: verb === '' ? notes : [],
  };
}

export function addVerbHelp(program: Command): void {
  for (const command of commandsOf(program)) {
    command.helpCommand(false);
    const verb = pathOf(command);
    const group = verbGroups.find(([, verbs]) => verbs.includes(verb));
    if (group !== undefined) command.helpGroup(group[0]);
  }
  program.helpCommand(false);
  addHelp(program);
}
