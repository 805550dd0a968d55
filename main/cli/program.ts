import type { Command } from 'commander';
import { invalidInput } from '../contract/errors';
import { addCapacity } from './capacity';
import { addCheck } from './check';
import { addBest, addCompare } from './compare/compare';
import { addData } from './data';
import { addDeployments } from './deployments';
import { addCompletion } from './help/completion';
import { helpLayout } from './help/help-layout';
import { addReference } from './help/reference';
import { addVerbHelp } from './help/verb-help';
import { addImages } from './images';
import { addImport } from './import';
import { addLimits } from './limits';
import { addHosts } from './machine/hosts';
import { addDetect, addSetup } from './machine/machine';
import { addMonitor } from './monitor';
import type { CliContext } from './output';
import { addPerf } from './perf/perf';
import { addPredict } from './predict';
import { addOwnModels, addPresets } from './presets';
import { addListing } from './print/listing';
import { hasColors, helpWidth } from './print/terminal';
import { resolveRunId, runArgument } from './read-values';
import { addResume, addRun } from './run';
import { addLogs } from './runs/logs';
import { addClean, addUpkeep } from './runs/upkeep';
import { addSearch } from './search/search';
import { addSettings } from './settings';
import { addFields, addSpec } from './spec';
import { addStudies } from './studies/studies';
import { Verb } from './verb';

/** Opens the window, or focuses the one that is open. Throws engine-unavailable. */
type OpenWindow = (args: readonly string[]) => Promise<void>;

/** `open`: shows a run in the window. */
function addOpen(program: Command, context: CliContext, openWindow: OpenWindow): void {
  program
    .command('open')
    .description('Open the window, at a run if one is named')
    .argument('[run]', runArgument)
    .action(async (given: string | undefined) => {
      if (given === undefined) {
        await openWindow([]);
        return;
      }
      const core = await context.core();
      const runId = await resolveRunId(core, given);
      // Fails here, before a window opens.
      await core.handlers['runs.show']({ runId });
      await openWindow([`triton-workbench://run/${runId}`]);
      context.output({}).say(`Opening ${runId}`);
    });
}

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

interface ProgramOptions {
  readonly version: string;
  /** Folder of the documentation. */
  readonly docs: string;
  readonly openWindow: OpenWindow;
}

/** The whole command tree; also the source of completion, manual page and reference. */
export function createProgram(context: CliContext, { version, docs, openWindow }: ProgramOptions): Command {
  const program = new Verb(context, 'triton-workbench')
    .description(
      'Deploy models on NVIDIA Triton Inference Server: export, convert, configure, deploy, check, measure, report.',
    )
    .version(version)
    .option('-q, --quiet', 'print results and errors only')
    .option('--no-color', 'print without colors, also to a terminal')
    .configureHelp(helpLayout)
    .configureOutput({
      // `usageError` reports mistakes on one line.
      outputError: () => undefined,
      getOutHelpWidth: helpWidth,
      getOutHasColors: () => hasColors('stdout'),
    })
    .exitOverride()
    .hook('preAction', requirePaths);
  addRun(program, context);
  addResume(program);
  addSpec(program, context);
  addFields(program, context);
  addPerf(program, context);
  addCompare(program);
  addBest(program);
  addCapacity(program);
  addPredict(program);
  addLimits(program);
  addImport(program);
  addListing(program);
  addLogs(program, context);
  addOpen(program, context, openWindow);
  addUpkeep(program);
  addClean(program);
  addPresets(program);
  addOwnModels(program, context);
  addCheck(program);
  addData(program);
  addSearch(program);
  addStudies(program);
  addDeployments(program, context);
  addMonitor(program, context);
  addDetect(program);
  addHosts(program);
  addSetup(program);
  addImages(program);
  addSettings(program);
  addCompletion(program, context);
  addReference(program, docs);
  addVerbHelp(program);
  return program;
}
