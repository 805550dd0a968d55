import type { Command } from 'commander';
import { WorkbenchError } from '../contract/errors';
import { reachOf } from '../contract/reach';
import type { SpecPreview, SpecProblem } from '../contract/run/spec-tools';
import { shellLine } from '../contract/shell-line';
import { stepTitle } from '../contract/words';
import type { CliContext } from './context';
import { printMatrix } from './matrix';
import { exitCodes, printText } from './output';
import type { RunOptions } from './read-spec';
import { readOneOf } from './read-values';
import { addSpecOptions, readChoice } from './spec-options';

const forms = ['run-yaml', 'shell', 'json', 'commands'] as const;

function problemLine({ field, severity, message, remedy }: SpecProblem): string {
  const where = field === '' ? '' : `${field}: `;
  return `${severity}: ${where}${message}${remedy === null ? '' : `\n  remedy: ${remedy}`}`;
}

/** The command lines under the titles of their steps, each as a shell takes it. */
function commandText({ commands }: SpecPreview): string {
  return commands
    .map(({ step, argv }, index) => {
      const title = commands[index - 1]?.step === step ? '' : `# ${stepTitle[step]}\n`;
      return `${title}${shellLine(argv)}`;
    })
    .join('\n');
}

/** `spec`: what `run` with the same options would do, without doing it. */
export function addSpec(program: Command, context: CliContext): void {
  const spec = program
    .command('spec')
    .description('Print the complete specification, script or commands of a run without running it')
    .argument('[preset]', 'preset id, for example resnet50, or the path of your own model');
  addSpecOptions(spec)
    .option('--as <form>', forms.join(', '), 'run-yaml')
    .action(async (preset: string | undefined, options: RunOptions & { readonly as: string }) => {
      const form = readOneOf('--as', forms, options.as);
      const core = await context.core();
      const { matrix } = options;
      if (matrix !== undefined) {
        if (form === 'shell' || form === 'commands') {
          const remedy = 'Use --as json, or leave the option out.';
          throw new WorkbenchError('input-invalid', `--matrix has no form "${form}"`, {
            where: '--as',
            remedy,
          });
        }
        const output = context.output({ json: form === 'json' });
        context.exit(await printMatrix(core, preset, { ...options, matrix }, output));
        return;
      }
      const { preset: id, overrides } = await readChoice(core, preset, options);
      const choice = { preset: id, overrides };
      // Who types this asks what is in those files.
      for (const { value } of reachOf(overrides).paths) core.approvals.give(value);
      if (form === 'run-yaml' || form === 'shell') {
        const { text } = await core.handlers['spec.export']({ ...choice, as: form });
        printText(text);
        return;
      }
      const preview = await core.handlers['spec.preview'](choice);
      if (form === 'json') context.output({ json: true }).document(preview);
      else if (preview.commands.length > 0) printText(`${commandText(preview)}\n`);
      for (const problem of preview.problems) printText(`${problemLine(problem)}\n`, 'stderr');
      if (preview.problems.some(({ severity }) => severity === 'problem')) context.exit(exitCodes.usage);
    });
}
