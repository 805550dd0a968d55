import type { Command } from 'commander';
import type { FieldRow } from '../contract/fields/field';
import { defaultOf, fields, valuesOf } from '../contract/fields/fields';
import { fieldText } from '../contract/run/spec-changes';
import { type CliContext, jsonHelp } from './context';
import { printText } from './output';

/** What a row says in the reference, as texts. */
function entryOf(row: FieldRow) {
  const { type, minimum, values } = valuesOf(row);
  const usual = defaultOf(row);
  const number = { integer: 'whole number', integers: 'list of whole numbers', numbers: 'list of numbers' };
  const known: Readonly<Record<string, string>> = { ...number, texts: 'list', boolean: 'true or false' };
  const least = minimum === undefined || minimum < 0 ? '' : ` from ${minimum}`;
  return {
    path: row.path,
    label: row.label,
    help: row.help,
    values: values?.join(', ') ?? `${known[type] ?? type}${least}`,
    unit: row.unit ?? null,
    default: usual === undefined ? (row.absent ?? null) : fieldText(usual),
    appliesWith: row.onlyWith?.text ?? null,
    option: row.option ?? null,
    variables: row.variables ?? [],
  };
}

/** Fields that a person can set, of a part of the specification where one is named. */
const entries = (part = '') =>
  fields
    .filter(({ path, internal = false }) => !internal && (path === part || `${path}.`.startsWith(part)))
    .map(entryOf);

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string | null): string => (text === null ? '' : `\`${text}\``);

/** The page of the guide: a row per field. */
export function fieldsPage(): string {
  const rows = entries().map(({ path, help, values, unit, option, variables, ...entry }) => {
    const only = entry.appliesWith === null ? '' : ` Applies only with ${entry.appliesWith}.`;
    const published = variables.length === 0 ? '' : ` [${variables.join(', ')}]`;
    return [
      code(path),
      `${help}${only}`,
      `${values}${unit === null ? '' : `; ${unit}`}`,
      entry.default ?? '',
      `${code(option)}${published}`,
    ];
  });
  const header = ['Field', 'What it sets', 'Values', 'Default', 'Option of `run` [published variable]'];
  const lines = [header, header.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return [
    '# Fields of run.yaml',
    '',
    'Written by `triton-workbench fields --markdown`. Set any field with `--set FIELD=VALUE`, in a file for `--spec`, in the wizard, or with its',
    'option. A preset, its profile and a published GPU have defaults of their own; “\\*” stands for the name of an output, a metric, an input, an',
    'argument or a step.',
    '',
    ...lines.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
}

/** `fields`: what run.yaml can say. */
export function addFields(program: Command, context: CliContext): void {
  program
    .command('fields')
    .description('List the fields of run.yaml with their defaults, options and published variables')
    .argument('[part]', 'part of the specification, for example performance or configure.threads')
    .option('--markdown', 'print the page of the guide')
    .option('--json', jsonHelp)
    .action((part: string | undefined, options: { readonly markdown?: boolean; readonly json?: boolean }) => {
      if (options.markdown === true) {
        printText(fieldsPage());
        return;
      }
      const found = entries(part);
      const output = context.output(options);
      if (output.json) {
        output.document(found);
        return;
      }
      for (const { path, label, help, values, option, ...entry } of found) {
        const unit = entry.unit === null ? '' : `, ${entry.unit}`;
        const usual = entry.default === null ? '' : `. Default: ${entry.default}`;
        output.say(`${path}  ${label}`);
        output.say(
          `    ${help}${entry.appliesWith === null ? '' : ` Applies only with ${entry.appliesWith}.`}`,
        );
        output.say(`    ${values}${unit}${usual}${option === null ? '' : `. Option: ${option}`}`);
      }
      if (found.length === 0) output.say(`No field begins with "${part ?? ''}".`);
    });
}
