import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { cliRemedyOf, errorCodes, errorText } from '../../contract/error-text';
import { exitCodeOf, printText } from '../output';
import { readOneOf } from '../read-values';
import { argumentText, commandsOf, optionsOf, pathOf } from './command-tree';
import { presetPage } from './preset-page';
import { environmentVariables, errorCauses, schemaNames, schemaText } from './reference-tables';
import { commonExits, exitsOf, verbHelp } from './verb-help';

const writtenPages = ['cli', 'errors', 'environment', 'man', 'preset'] as const;
type WrittenPage = (typeof writtenPages)[number];
/** Written from types by scripts/schemas.mjs. */
const ofDocuments = 'schema-json';
export const pageNames = [
  ...writtenPages,
  ...schemaNames.map((name) => `schema-${name}` as const),
  ofDocuments,
] as const;
type PageName = (typeof pageNames)[number];

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');

function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}

const written = (page: string): string => `Written by \`triton-workbench reference ${page}\`.`;

function optionRows(command: Command): readonly (readonly string[])[] {
  const help = command.createHelp();
  return optionsOf(command).map((option) => [`\`${option.flags}\``, help.optionDescription(option)]);
}

function verbSection(program: Command, command: Command): string {
  const verb = pathOf(command);
  const arguments_ = command.registeredArguments.filter(({ description }) => description !== '');
  const rows = optionRows(command);
  const examples = (verbHelp[verb]?.examples ?? []).map(
    ([line, what]) => `# ${what}\n${program.name()} ${line}`,
  );
  return [
    `## ${verb}`,
    `${command.description()}.`,
    `\`${[program.name(), pathOf(command), '[options]', ...command.registeredArguments.map(argumentText)].join(' ')}\``,
    ...(arguments_.length === 0
      ? []
      : [
          markdownTable(
            ['Argument', 'What it is'],
            arguments_.map((argument) => [`\`${argumentText(argument)}\``, argument.description]),
          ),
        ]),
    ...(rows.length === 0 ? [] : [markdownTable(['Option', 'What it does'], rows)]),
    ...(examples.length === 0 ? [] : [`\`\`\`\n${examples.join('\n')}\n\`\`\``]),
    `Exit codes: ${exitsOf(verb)
      .map(([code, meaning]) => `${code} ${meaning}`)
      .join('; ')}.`,
  ].join('\n\n');
}

const cliPage = (program: Command): string =>
  [
    '# Command line',
    `${written('cli')} In a clone, see the README for what to type in place of \`triton-workbench\`.`,
    'Name a run by its id or a unique prefix of it, its name, `latest`, or `latest~N` (N runs before it). An address may be `host:port`. ' +
      'A time is a number in the unit of its option, or has a unit: `500ms`, `2s`, `1m`, `250us`. ' +
      '`--json` prints one JSON document to stdout, and `--quiet` omits progress. Colors are for terminals; `--no-color`, `NO_COLOR` and `FORCE_COLOR` change that. ' +
      '`help COMMAND` is `COMMAND --help`. ' +
      'Defaults of options: [configuration](configuration.md).',
    markdownTable(['Option of every command', 'What it does'], optionRows(program)),
    ...commandsOf(program)
      .filter(
        (command) =>
          command.commands.length === 0 ||
          command.registeredArguments.length > 0 ||
          optionsOf(command).length > 0,
      )
      .map((command) => verbSection(program, command)),
    '',
  ].join('\n\n');

const errorsPage = (): string =>
  [
    '# Error codes',
    `${written('errors')} \`--json\` has the code of an error in \`error.code\`, and window and command line show its title.`,
    markdownTable(
      ['Code', 'Title', 'Cause', 'What to do', 'Exit code'],
      errorCodes.map((code) => [
        `\`${code}\``,
        errorText[code].title,
        errorCauses[code],
        cliRemedyOf(code),
        String(exitCodeOf({ code, message: '' })),
      ]),
    ),
    '',
  ].join('\n\n');

const environmentPage = (): string =>
  [
    '# Environment variables',
    written('environment'),
    markdownTable(
      ['Variable', 'What it sets'],
      environmentVariables.map(({ name, what }) => [`\`${name}\``, what]),
    ),
    '',
  ].join('\n\n');

/** Escapes roff: backslashes, and leading dots and quotes. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');

function manOptions(command: Command): string {
  const help = command.createHelp();
  return optionsOf(command)
    .map((option) => `.TP\n.B ${roff(option.flags)}\n${roff(help.optionDescription(option))}`)
    .join('\n');
}

/** Arguments with a description, as options have one. */
const manArguments = (command: Command): string =>
  command.registeredArguments
    .filter(({ description }) => description !== '')
    .map((argument) => `.TP\n.I ${roff(argumentText(argument))}\n${roff(argument.description)}`)
    .join('\n');

function manExamples(program: Command, verb: string): string {
  const examples = (verbHelp[verb]?.examples ?? []).map(
    ([line, what]) => `# ${roff(what)}\n${roff(`${program.name()} ${line}`)}`,
  );
  return examples.length === 0 ? '' : `.PP\nExamples:\n.RS\n.nf\n${examples.join('\n')}\n.fi\n.RE`;
}

/** The exit codes that not every command has. */
function manExits(verb: string): string {
  const exits = exitsOf(verb).filter(([code]) => !commonExits.some(([common]) => common === code));
  const rows = exits.map(([code, meaning]) => `.TP\n.B ${code}\n${roff(meaning)}`);
  return rows.length === 0 ? '' : `.PP\nExit codes beside those of every command:\n${rows.join('\n')}`;
}

const manPage = (program: Command): string =>
  [
    `.TH TRITON\\-WORKBENCH 1 "" "triton\\-workbench ${roff(program.version() ?? '')}" "User Commands"`,
    `.SH NAME\ntriton\\-workbench \\- deploy models on NVIDIA Triton Inference Server and measure them`,
    `.SH SYNOPSIS\n.B triton\\-workbench\n.I command\n[options]`,
    `.SH DESCRIPTION\n${roff(program.description())}`,
    `.SH OPTIONS\n${manOptions(program)}`,
    '.SH COMMANDS',
    ...commandsOf(program).map((command) =>
      [
        `.SS ${roff([pathOf(command), ...command.registeredArguments.map(argumentText)].join(' '))}`,
        `${roff(command.description())}.`,
        manArguments(command),
        manOptions(command),
        manExamples(program, pathOf(command)),
        manExits(pathOf(command)),
      ]
        .filter((part) => part !== '')
        .join('\n'),
    ),
    `.SH EXIT STATUS\n${commonExits.map(([code, meaning]) => `.TP\n.B ${code}\n${roff(meaning)}`).join('\n')}\n.PP\nFurther codes are named by the commands that have them.`,
    `.SH ENVIRONMENT\n${environmentVariables.map(({ name, what }) => `.TP\n.B ${roff(name)}\n${roff(what.replaceAll('`', ''))}`).join('\n')}`,
    '',
  ].join('\n');

const pages: Readonly<Record<WrittenPage, (program: Command) => string>> = {
  cli: cliPage,
  errors: errorsPage,
  environment: environmentPage,
  man: manPage,
  preset: presetPage,
};

/** `man` is the manual page, `schema-…` a JSON Schema, the rest Markdown. */
export function referencePage(program: Command, page: PageName): string {
  const schema = schemaNames.find((name) => page === `schema-${name}`);
  if (schema !== undefined) return schemaText(schema);
  const written = writtenPages.find((name) => name === page);
  return written === undefined ? '' : pages[written](program);
}

/** @param docs folder of the documentation, with the schemas of what is printed */
export function addReference(program: Command, docs: string): void {
  program
    .command('reference')
    .description(
      'Print a page of the reference: command line, error codes, environment variables, the manual page, preset.yaml, or a JSON Schema',
    )
    .argument('<page>', pageNames.join(', '))
    .action((page: string) => {
      const name = readOneOf('page', pageNames, page);
      const file = join(docs, 'reference', 'schemas', 'json.schema.json');
      printText(name === ofDocuments ? readFileSync(file, 'utf8') : referencePage(program, name));
    });
}
