import type { Command, Option } from 'commander';
import type { DataItem } from '../../contract/data-source';
import { builtImages } from '../../contract/docker';
import { longFlag } from '../../contract/fields/field';
import { fields, valuesOf } from '../../contract/fields/fields';
import { stepIds } from '../../contract/run/run-events';
import { runSummarySchema } from '../../contract/run/run-outcome';
import { reportParts, reportSections } from '../../contract/settings/report-settings';
import { definitionOf, isSettingKey, settingKeys, type SettingValue } from '../../contract/settings/settings';
import { componentIds } from '../../contract/setup';
import { type CliContext, printText } from '../output';
import { readOneOf } from '../read-values';
import { commandsOf, isFlag, optionsOf, pathOf, verbIn } from './command-tree';
import { pageNames } from './reference';

const shells = ['bash', 'zsh', 'fish'] as const;

interface Candidate {
  readonly value: string;
  readonly what: string;
}

/** Candidates that need the home; fetched only on demand. */
export interface Known {
  runs(): Promise<readonly Candidate[]>;
  presets(): Promise<readonly Candidate[]>;
  deployments(): Promise<readonly Candidate[]>;
  studies(): Promise<readonly Candidate[]>;
  hosts(): Promise<readonly Candidate[]>;
  /** Data sets or checkpoints of a preset. */
  data(preset: string, kind: DataItem['kind']): Promise<readonly Candidate[]>;
}

const plain = (values: readonly string[]): readonly Candidate[] =>
  values.map((value) => ({ value, what: '' }));

const sections = ['all', ...Object.keys(reportParts), ...reportSections];

const fixedValues: Readonly<Record<string, readonly string[]>> = {
  '--sections': sections,
  '--without': sections.slice(1),
  '--status': [...runSummarySchema.shape.status.options, 'waiting'],
  '--from': stepIds,
  '--as': ['run-yaml', 'shell', 'json', 'commands'],
};

interface At {
  /** "data fetch". */
  readonly verb: string;
  /** Arguments before the word. */
  readonly typed: readonly string[];
}

/** Of the home, by option; of `data fetch` by its preset. */
const ofHome: Readonly<
  Record<string, (known: Known, at: At, option: Option) => Promise<readonly Candidate[]> | null>
> = {
  '--history': (known) => known.runs(),
  '--preset': (known) => known.presets(),
  '--host': (known) => known.hosts(),
  '--to': (known, { verb }) => (verb === 'deploy' ? known.deployments() : null),
  '--search': (known, _at, { flags }) => (flags.includes('<study>') ? known.studies() : null),
  '--dataset': (known, { verb, typed }) =>
    verb === 'data fetch' ? known.data(typed[0] ?? '', 'dataset') : null,
  '--checkpoint': (known, { verb, typed }) =>
    verb === 'data fetch' ? known.data(typed[0] ?? '', 'checkpoint') : null,
};

async function valuesOfOption(option: Option, known: Known, at: At): Promise<readonly Candidate[]> {
  const { long = '' } = option;
  const found = ofHome[long]?.(known, at, option) ?? null;
  if (found !== null) return found;
  const isOther = long === '--from' && !option.flags.includes('<step>');
  const fixed = isOther ? undefined : fixedValues[long];
  if (fixed !== undefined) return plain(fixed);
  const row = fields.find((one) => one.option !== undefined && longFlag(one.option) === long);
  return row === undefined ? [] : plain(valuesOf(row).values ?? Object.keys(row.choices ?? {}));
}

/** Values of a setting, by its schema. */
function valuesOfSetting(key: string): readonly Candidate[] {
  if (!isSettingKey(key)) return [];
  const { schema, choices = {} } = definitionOf(key);
  const takes = (value: SettingValue): boolean => schema.safeParse(value).success;
  return plain([
    ...Object.keys(choices),
    ...(takes(true) ? ['on', 'off'] : []),
    ...(takes(null) ? ['none'] : []),
  ]);
}

const ofSettings: readonly Candidate[] = settingKeys.map((key) => ({
  value: key,
  what: definitionOf(key).title,
}));

/** Sections of run.yaml, and what follows a point: "performance.", "performance.concurrency". */
function pathsOf(begun: string): readonly Candidate[] {
  const depth = begun.split('.').length;
  const shown = fields.filter(({ internal = false }) => !internal);
  const paths = shown.map(({ path }) => path.split('.').slice(0, depth).join('.'));
  return [...new Set(paths)].map((value) => ({
    value,
    what: shown.find(({ path }) => path === value)?.label ?? '',
  }));
}

/** Words that only one command takes. */
const ofCommand: Readonly<Record<string, (begun: string) => readonly Candidate[]>> = {
  fields: pathsOf,
  setup: () => plain(componentIds),
  'images build': () => plain(builtImages),
};

async function valuesOfArgument(
  name: string,
  known: Known,
  { verb, typed }: At,
  begun: string,
): Promise<readonly Candidate[]> {
  const own = ofCommand[verb];
  if (own !== undefined) return own(begun);
  if (name === 'key') return ofSettings;
  if (name === 'value') return valuesOfSetting(typed[0] ?? '');
  if (name === 'deployment') return known.deployments();
  if (name === 'study') return known.studies();
  if (name === 'name' && /^hosts (?!add)/.test(verb)) return known.hosts();

  if (/^run(-[ab])?$/.test(name))
    return [...(await known.runs()), { value: 'latest', what: 'the newest run' }];
  if (name === 'preset') return known.presets();
  if (name === 'step') return plain(stepIds);
  if (name === 'shell') return plain(shells);
  return name === 'page' ? plain(pageNames) : [];
}

const takesValue = (option: Option | undefined): option is Option =>
  option !== undefined && (option.required || option.optional);

/** The words that are neither options nor their values. */
function argumentsOf(options: readonly Option[], words: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const option = options.find((one) => isFlag(one, word));
    if (option?.required === true) at += 1;
    else if (!word.startsWith('-')) found.push(word);
  }
  return found;
}

const verbsOf = (command: Command): readonly Candidate[] =>
  commandsOf(command)
    .filter((one) => one.parent === command)
    .map((one) => ({ value: one.name(), what: one.description() }));

/** Of an option that takes several values, the next one after the comma. */
function inList(
  { flags }: Option,
  begun: string,
  fitting: (all: readonly Candidate[]) => readonly Candidate[],
  all: readonly Candidate[],
): readonly Candidate[] {
  const cut = /<(?:list|names)>/.test(flags) ? begun.lastIndexOf(',') + 1 : 0;
  const before = begun.slice(0, cut);
  const given = before.split(',');
  return fitting(
    all
      .filter(({ value }) => !given.includes(value))
      .map((candidate) => ({ ...candidate, value: `${before}${candidate.value}` })),
  );
}

/** Candidates for the last word; empty: the shell offers files. @param words without the program's name */
export async function candidatesFor(
  program: Command,
  words: readonly string[],
  known: Known,
): Promise<readonly Candidate[]> {
  const begun = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  const { command, words: named } = verbIn(program, before);
  const options = [...optionsOf(command), ...(command === program ? [] : optionsOf(program))];
  const previous = options.find((option) => isFlag(option, before.at(-1) ?? ''));
  const fitting = (all: readonly Candidate[]) => all.filter(({ value }) => value.startsWith(begun));
  const typed = argumentsOf(options, before.slice(named));
  const at = { verb: pathOf(command), typed };
  if (takesValue(previous))
    return inList(previous, begun, fitting, await valuesOfOption(previous, known, at));
  if (pathOf(command) === 'help') return fitting(verbsOf(verbIn(program, before.slice(named)).command));
  if (begun.startsWith('-')) {
    const help = command.createHelp();
    const flags = options.map((option) => ({
      value: option.long ?? option.flags,
      what: help.optionDescription(option),
    }));
    return fitting([...flags, { value: '--help', what: 'Display help.' }]);
  }
  const verbs = verbsOf(command);
  const count = typed.length;
  const declared = command.registeredArguments;
  const argument = declared[count] ?? (declared.at(-1)?.variadic === true ? declared.at(-1) : undefined);
  const values = argument === undefined ? [] : await valuesOfArgument(argument.name(), known, at, begun);
  return fitting([...(count === 0 ? verbs : []), ...values]);
}

/** Each script calls the program with the words so far, so completion always matches the parser. */
const scripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_triton_workbench() {
  local line quoted
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    printf -v quoted '%q' "$line"
    COMPREPLY+=("\${quoted//\\\\,/,}")
  done < <(triton-workbench complete-words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _triton_workbench triton-workbench
`,
  zsh: `#compdef triton-workbench
_triton_workbench() {
  local line
  local -a found
  while IFS=$'\\t' read -r value what; do
    found+=("\${value//:/\\\\:}:$what")
  done < <(triton-workbench complete-words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe 'triton-workbench' found; else _files; fi
}
if [ "$funcstack[1]" = "_triton_workbench" ]; then _triton_workbench; else compdef _triton_workbench triton-workbench; fi
`,
  fish: `function __triton_workbench_words
    set -l words (commandline -opc) (commandline -ct)
    triton-workbench complete-words -- $words[2..-1] 2>/dev/null
end
complete -c triton-workbench -a '(__triton_workbench_words)'
`,
};

function knownIn(context: CliContext): Known {
  const handlers = async () => (await context.core()).handlers;
  return {
    deployments: async () =>
      (await (await handlers())['deployments.list'](undefined)).map(({ id, state }) => ({
        value: id,
        what: state,
      })),
    studies: async () =>
      (await (await handlers())['studies.list'](undefined)).map(({ name, sentence }) => ({
        value: name,
        what: sentence,
      })),
    hosts: async () =>
      (await (await handlers())['hosts.list'](undefined)).map(({ name, address }) => ({
        value: name,
        what: address,
      })),
    data: async (preset, wanted) =>
      (await (await handlers())['data.list']({ preset }))
        .filter(({ kind }) => kind === wanted)
        .map(({ source: { id, title } }) => ({ value: id, what: title })),
    runs: async () => {
      const { runs } = await (await handlers())['runs.all'](undefined);
      return runs.flatMap(({ runId, name, status }) => [
        { value: runId, what: name === null ? status : `${name}, ${status}` },
        ...(name === null ? [] : [{ value: name, what: `${runId}, ${status}` }]),
      ]);
    },
    presets: async () => {
      const presets = await (await handlers())['presets.list'](undefined);
      return presets.map(({ id, title }) => ({ value: id, what: title }));
    },
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export function addCompletion(program: Command, context: CliContext): void {
  program
    .command('completion')
    .description('Print the completion script of a shell: commands, options, values, runs and presets')
    .argument('<shell>', shells.join(', '))
    .action((shell: string) => {
      printText(scripts[readOneOf('shell', shells, shell)]);
    });
  program
    .command('complete-words', { hidden: true })
    .argument('[word...]')
    .action(async (words: string[]) => {
      for (const { value, what } of await candidatesFor(program, words, knownIn(context))) {
        printText(`${oneLine(value)}\t${oneLine(what)}\n`);
      }
    });
}
