import { Command, Help, type Option } from 'commander';
import { addCompare } from './compare';
import type { CliContext } from './context';
import { addData } from './data';
import { addDeployments } from './deployments';
import { addDetect } from './detect';
import { addFields } from './fields';
import { addCompletion } from './help/completion';
import { addReference } from './help/reference';
import { addVerbHelp } from './help/verb-help';
import { addImages } from './images';
import { addListing } from './listing';
import { addHosts } from './machine/hosts';
import { addSetup } from './machine/setup';
import { addMonitor } from './monitor';
import { addPerf } from './perf/perf';
import { addOwnModels, addPresets } from './presets';
import { addBest } from './report/best';
import { addResume } from './resume';
import { addImport, addRun } from './run';
import { addClean } from './runs/clean';
import { addLogs } from './runs/logs';
import { addOpen, type OpenWindow } from './runs/open';
import { addUpkeep } from './runs/upkeep';
import { addSettings } from './settings/settings';
import { addSpec } from './spec';

/** The help of every option reads as a sentence, whoever wrote it. */
function optionSentence(option: Option): string {
  const text = new Help().optionDescription(option);
  // Not of "gRPC", "p99" and "run.yaml".
  const begun = /^[a-z]+(?![\w.])/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return `${begun}${/[.)\]]$/.test(text) ? '' : '.'}`;
}

/** Every verb with its options and its help: what is parsed, and what completion, manual page and reference are made of. */
export function createProgram(
  context: CliContext,
  { version, openWindow }: { readonly version: string; readonly openWindow: OpenWindow },
): Command {
  const program = new Command('triton-workbench')
    .description(
      'Deploy models on NVIDIA Triton Inference Server: export, convert, configure, deploy, check, measure, report.',
    )
    .version(version)
    .option('-q, --quiet', 'print results and errors only')
    .configureHelp({ optionDescription: optionSentence })
    // Whoever parses says what is wrong, on one line.
    .configureOutput({ outputError: () => undefined })
    .exitOverride();
  addRun(program, context);
  addResume(program, context);
  addSpec(program, context);
  addFields(program, context);
  addPerf(program, context);
  addCompare(program, context);
  addBest(program, context);
  addImport(program, context);
  addListing(program, context);
  addLogs(program, context);
  addOpen(program, context, openWindow);
  addUpkeep(program, context);
  addClean(program, context);
  addPresets(program, context);
  addOwnModels(program, context);
  addData(program, context);
  addDeployments(program, context);
  addMonitor(program, context);
  addDetect(program, context);
  addHosts(program, context);
  addSetup(program, context);
  addImages(program, context);
  addSettings(program, context);
  addCompletion(program, context);
  addReference(program);
  addVerbHelp(program);
  return program;
}
