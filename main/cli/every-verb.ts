import type { Command } from 'commander';
import { addCheck } from './check';
import { addBest, addCompare } from './compare/compare';
import { addData } from './data';
import { addDeployments } from './deployments';
import { addGolden } from './golden';
import { addCompletion } from './help/completion';
import { addReference } from './help/reference';
import { addImages } from './images';
import { addImport } from './import';
import { addHosts } from './machine/hosts';
import { addDetect, addSetup } from './machine/machine';
import { addCapacity } from './measured/capacity';
import { addColdStart } from './measured/cold-start';
import { addLimits } from './measured/limits';
import { addPredict } from './measured/predict';
import { addTrace } from './measured/trace';
import { addMonitor } from './monitor';
import type { CliContext } from './output';
import { addPerf } from './perf/perf';
import { addOwnModels, addPresets } from './presets';
import { addRuns } from './print/listing';
import { resolveRunId, runArgument } from './read-values';
import { addResume, addRun } from './run';
import { addLogs } from './runs/logs';
import { addShow } from './runs/show';
import { addClean, addUpkeep } from './runs/upkeep';
import { addSearch } from './search/search';
import { addSettings } from './settings';
import { addSoak } from './soak/soak';
import { addFields, addSpec } from './spec';
import { addStudies } from './studies/studies';
import { addUpgrade } from './upgrade/upgrade';
import type { Verb } from './verb';

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

export interface VerbOptions {
  /** Folder of the documentation. */
  readonly docs: string;
  readonly openWindow: OpenWindow;
}

/** Every verb, in the order of the help. */
export function addEveryVerb(program: Verb, context: CliContext, { docs, openWindow }: VerbOptions): void {
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
  addColdStart(program);
  addTrace(program);
  addImport(program);
  addRuns(program);
  addShow(program);
  addLogs(program, context);
  addOpen(program, context, openWindow);
  addUpkeep(program);
  addClean(program);
  addPresets(program);
  addOwnModels(program, context);
  addCheck(program);
  addData(program);
  addSearch(program);
  addSoak(program);
  addUpgrade(program);
  addStudies(program);
  addDeployments(program, context);
  addGolden(program);
  addMonitor(program, context);
  addDetect(program);
  addHosts(program);
  addSetup(program);
  addImages(program);
  addSettings(program);
  addCompletion(program, context);
  addReference(program, docs);
}
