import type { Command } from 'commander';
import { invalidInput, WorkbenchError } from '../contract/errors';
import { fields } from '../contract/fields/fields';
import { reachOf } from '../contract/reach';
import type { Choice, SpecProblem } from '../contract/run/spec-tools';
import type { ReadingCore } from '../core/reading-core';
import { fieldEntry } from './json/field-entry';
import { type CliContext, exitCodes, printText } from './output';
import { hanging } from './print/terminal';
import { asksMatrix, type RunOptions } from './read-spec';
import { readOneOf } from './read-values';
import { addSpecOptions, readChoiceBy } from './spec-options';

const forms = ['run-yaml', 'shell', 'json', 'commands'] as const;

export function problemLine({ field, severity, message, remedy }: SpecProblem): string {
  const where = field === '' ? '' : `${field}: `;
  return `${severity}: ${where}${message}${remedy === null ? '' : `\n  remedy: ${remedy}`}`;
}

const isBroken = (problems: readonly SpecProblem[]): boolean =>
  problems.some(({ severity }) => severity === 'problem');

/** A broken choice has no text: its problems are printed. */
async function printExported(
  exported: Promise<{ readonly text: string }>,
  problems: readonly SpecProblem[],
): Promise<void> {
  try {
    printText((await exported).text);
  } catch (error) {
    if (!isBroken(problems)) throw error;
  }
}

/** Prints the choice. @returns its problems */
async function printSpec(
  context: CliContext,
  reading: ReadingCore,
  choice: Choice,
  form: (typeof forms)[number],
): Promise<readonly SpecProblem[]> {
  const { paths } = reachOf(choice.overrides);
  if ((form === 'run-yaml' || form === 'shell') && paths.length === 0) {
    const problems = await reading.handlers['spec.check'](choice);
    await printExported(reading.handlers['spec.export']({ ...choice, as: form }), problems);
    return problems;
  }
  const core = await context.core();
  // The user of the command wants these files read.
  for (const { value } of paths) await core.handlers['approvals.give']({ path: value });
  const preview = await core.handlers['spec.preview'](choice);
  if (form === 'json') context.output({ json: true }).document(preview);
  else await printExported(core.handlers['spec.export']({ ...choice, as: form }), preview.problems);
  return preview.problems;
}

/** `spec`: previews `run` with the same options. */
export function addSpec(program: Command, context: CliContext): void {
  const spec = program
    .command('spec')
    .description('Print the complete specification, script or commands of a run without running it')
    .argument('[preset]', 'preset id, for example resnet50, or the path of your own model');
  addSpecOptions(spec)
    .option('--as <form>', `what to print: ${forms.join(', ')}`, 'run-yaml')
    .action(async (preset: string | undefined, options: RunOptions & { readonly as: string }) => {
      const form = readOneOf('--as', forms, options.as);
      if (asksMatrix(options)) {
        if (form === 'shell' || form === 'commands') {
          const remedy = 'Use --as json, or leave the option out.';
          throw invalidInput('--as', `A matrix has no form "${form}"`, remedy);
        }
        const output = context.output({ json: form === 'json' });
        const { printMatrix } = await import('./study');
        context.exit(await printMatrix(await context.core(), preset, options, output));
        return;
      }
      const reading = await context.reading();
      const { preset: id, overrides } = await readChoiceBy({ reading, whole: context.core }, preset, options);
      const problems = await printSpec(context, reading, { preset: id, overrides }, form);
      for (const problem of problems) printText(`${problemLine(problem)}\n`, 'stderr');
      if (isBroken(problems)) context.exit(exitCodes.usage);
    });
}

/** Settable fields, optionally of one part of the specification. */
const entries = (part = '') =>
  fields
    .filter(({ path, internal = false }) => !internal && (path === part || `${path}.`.startsWith(part)))
    .map(fieldEntry);

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (text: string | null): string => (text === null ? '' : `\`${text}\``);

/** The guide's page: one row per field. */
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
    'Written by `triton-workbench fields --markdown`. Set any field with `--set FIELD=VALUE`, in a file for `--spec`, in the window, or with its',
    'option. A preset, its profile and a published GPU have defaults of their own; “\\*” stands for the name of an output, a metric, an input, an',
    'argument or a step.',
    '',
    ...lines.map((row) => `| ${row.join(' | ')} |`),
    '',
  ].join('\n');
}

export function addFields(program: Command, context: CliContext): void {
  program
    .command('fields')
    .description('List the fields of run.yaml with their defaults, options and published variables')
    .argument('[part]', 'part of the specification, for example performance or configure.threads')
    .option('--markdown', 'print the page of the guide')
    .option('--json', 'print one JSON document to stdout')
    .action((part: string | undefined, options: { readonly markdown?: boolean; readonly json?: boolean }) => {
      if (options.markdown === true) {
        printText(fieldsPage());
        return;
      }
      const found = entries(part);
      if (found.length === 0) {
        throw new WorkbenchError('input-invalid', `No field begins with "${part ?? ''}"`, {
          where: '[part]',
          remedy: 'Without a part, "triton-workbench fields" lists all of them.',
        });
      }
      const output = context.output(options);
      if (output.json) {
        output.document(found);
        return;
      }
      for (const { path, label, help, values, option, ...entry } of found) {
        const unit = entry.unit === null ? '' : `, ${entry.unit}`;
        const usual = entry.default === null ? '' : `. Default: ${entry.default}`;
        output.say(hanging(`${path}  ${label}`, 4));
        const only = entry.appliesWith === null ? '' : ` Applies only with ${entry.appliesWith}.`;
        output.say(hanging(`    ${help}${only}`));
        output.say(hanging(`    ${values}${unit}${usual}${option === null ? '' : `. Option: ${option}`}`));
      }
    });
}
