import { join } from 'node:path';
import { Command, CommanderError, Help, type Option } from 'commander';
import packageJson from '../../package.json';
import { toWire } from '../contract/errors';
import { type Core, createCore } from '../core';
import { createElectronPrinter } from '../platform/electron-printer';
import { defaultHome, homeLayout } from '../platform/layout';
import { addCompare } from './compare';
import type { CliContext } from './context';
import { addData } from './data';
import { addDeployments } from './deployments';
import { addDetect } from './detect';
import { addFields } from './fields';
import { addImages } from './images';
import { addListing } from './listing';
import { addMonitor } from './monitor';
import { createOutput, exitCodeOf, exitCodes, formatError, jsonText, printText } from './output';
import { addPerf } from './perf/perf';
import { addOwnModels } from './presets';
import { addResume } from './resume';
import { addImport, addRun } from './run';
import { addUpkeep } from './runs/upkeep';
import { addSpec } from './spec';

/** The bundle stands in `out/main`; the repository (or the app) two folders above. */
const appDir = process.env['TRITON_WORKBENCH_APP'] ?? join(__dirname, '..', '..');
const resources = process.env['TRITON_WORKBENCH_RESOURCES'] ?? join(appDir, 'resources');

/** Whoever reads may stop reading (`| head`): the work goes on and says the rest to nobody. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** The help of every option reads as a sentence, whoever wrote it. */
function optionSentence(option: Option): string {
  const text = new Help().optionDescription(option);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.)\]]$/.test(text) ? '' : '.'}`;
}

async function main(): Promise<void> {
  outliveReaders();
  const made: { core: Promise<Core> | null } = { core: null };
  const context: CliContext = {
    core: () => {
      const { env } = process;
      const home = defaultHome(env);
      const { electron } = homeLayout(home);
      made.core ??= createCore({
        home,
        resources,
        version: packageJson.version,
        env,
        workerFile: join(__dirname, 'load-worker.cjs'),
        readerFile: join(__dirname, 'reader-process.cjs'),
        printPdf: createElectronPrinter({ electron, app: appDir, env }),
        electron: null,
      }).then((core) => {
        if (core.closedHome !== null) printText(`${core.closedHome}\n`, 'stderr');
        return core;
      });
      return made.core;
    },
    output: (options) => createOutput(options.json === true),
    exit: (code) => {
      process.exitCode = code;
    },
  };
  const program = new Command('triton-workbench')
    .description(
      'Deploy models on NVIDIA Triton Inference Server: export, convert, configure, deploy, check, measure, report.',
    )
    .version(packageJson.version)
    .configureHelp({ optionDescription: optionSentence })
    .showHelpAfterError()
    .exitOverride();
  addData(program, context);
  addDetect(program, context);
  addImages(program, context);
  addListing(program, context);
  addCompare(program, context);
  addRun(program, context);
  addOwnModels(program, context);
  addResume(program, context);
  addDeployments(program, context);
  addSpec(program, context);
  addFields(program, context);
  addPerf(program, context);
  addImport(program, context);
  addMonitor(program, context);
  addUpkeep(program, context);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    } else {
      const wire = toWire(error);
      printText(`${formatError(wire)}\n`, 'stderr');
      if (process.argv.includes('--json')) process.stdout.write(`${jsonText({ error: wire }, 2)}\n`);
      process.exitCode = exitCodeOf(wire);
    }
  } finally {
    await (await made.core?.catch(() => null))?.close();
  }
}

void main();
