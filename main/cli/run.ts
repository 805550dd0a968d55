import type { Command } from 'commander';
import type { Choice } from '../contract/spec-tools';
import type { Core } from '../core';
import { printText } from './output';
import type { CliContext } from './context';
import type { RunOptions } from './read-spec';
import { addSpecOptions, readChoice } from './spec-options';
import { workOn } from './work';

/** `run`: a whole deployment, export to report. */
export function addRun(program: Command, context: CliContext): void {
  const run = program
    .command('run')
    .description('Run a deployment from export to report')
    .argument('[preset]', 'preset id, for example resnet50, or the path of a model of your own');
  addSpecOptions(run)
    .option('--trust', 'own model: trust the code that stands there now, and run it')
    .option('--out <dir>', 'run folder; default below the workbench home')
    .option('--verbose', 'show the log lines of the steps')
    .option('--json', 'one JSON document on stdout, people read stderr')
    .action(async (preset: string | undefined, options: RunOptions & RunFlags) => {
      const core = await context.core();
      const chosen = await readChoice(core, preset, options);
      await tellNotes(core, chosen);
      const runId = await core.createRun(await core.resolveChoice(chosen), options.out);
      context.exit(await workOn(core, runId, context.output(options), { verbose: options.verbose === true }));
    });
}

/** Where the defaults of a chosen GPU come from, or why they are not taken. */
async function tellNotes(core: Core, chosen: Choice): Promise<void> {
  if (chosen.overrides['targetGpu'] === undefined) return;
  const { problems } = await core.handlers['spec.preview'](chosen);
  for (const { severity, message, remedy } of problems) {
    if (severity === 'note') printText(`${[message, remedy].filter(Boolean).join('. ')}\n`, 'stderr');
  }
}

interface RunFlags {
  readonly out?: string;
  readonly verbose?: boolean;
  readonly json?: boolean;
}
