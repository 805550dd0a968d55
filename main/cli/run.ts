import type { Command } from 'commander';
import type { Choice } from '../contract/spec-tools';
import type { Core } from '../core';
import { approveGiven } from './approve-given';
import type { CliContext } from './context';
import { printText } from './output';
import type { RunOptions } from './read-spec';
import { addSpecOptions, readChoice } from './spec-options';
import { workOn } from './work';

/** `run`: a whole deployment, export to report. */
export function addRun(program: Command, context: CliContext): void {
  const run = program
    .command('run')
    .description('Run a deployment, from export to report')
    .argument('[preset]', 'preset id, for example resnet50, or the path of your own model');
  addSpecOptions(run)
    .option(
      '--trust',
      'trust the current code of your own model, and approve the files and images that --spec names',
    )
    .option('--allow-remote-load', 'allow load on another machine (--engine remote)')
    .option('--out <dir>', 'run folder; default: in the workbench home')
    .option('--verbose', 'show the log of the steps')
    .option('--json', 'print one JSON document to stdout; messages go to stderr')
    .action(async (preset: string | undefined, options: RunOptions & RunFlags) => {
      const core = await context.core();
      const { typed, ...chosen } = await readChoice(core, preset, options);
      await tellNotes(core, chosen);
      const spec = await core.resolveChoice(chosen);
      await approveGiven(core, spec, options, { typed, specFile: options.spec });
      const runId = await core.createRun(spec, options.out);
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
  readonly allowRemoteLoad?: boolean;
  readonly out?: string;
  readonly verbose?: boolean;
  readonly json?: boolean;
}
