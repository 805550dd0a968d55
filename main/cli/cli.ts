import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, Help, type Option } from 'commander';
import { toWire } from '../contract/errors';
import { type Core, createCore } from '../core';
import { createElectronPrinter } from '../platform/electron-printer';
import { defaultHome, homeLayout, readableFolder } from '../platform/layout';
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
const readable = readableFolder(appDir);
const resources = process.env['TRITON_WORKBENCH_RESOURCES'] ?? join(readable, 'resources');
const bundles = join(readable, 'out', 'main');

/** Of the package, which the build of a package may have marked; not of what was bundled. */
function appVersion(): string {
  const about: unknown = JSON.parse(readFileSync(join(appDir, 'package.json'), 'utf8'));
  return typeof about === 'object' && about !== null && 'version' in about ? String(about.version) : '?';
}

/** In a package the runtime of the window runs this as plain Node; what is started from here is told nothing of that. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const env = { ...process.env };
  delete env['ELECTRON_RUN_AS_NODE'];
  return env;
}

/** The runtime that prints, and its app: in a package it is this very program, which knows its app. */
function printer(env: NodeJS.ProcessEnv, home: string) {
  return readable === appDir
    ? createElectronPrinter({ electron: homeLayout(home).electron, app: appDir, env })
    : createElectronPrinter({ electron: process.execPath, app: null, env });
}

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
  const version = appVersion();
  const made: { core: Promise<Core> | null } = { core: null };
  const context: CliContext = {
    core: () => {
      const env = ownEnvironment();
      const home = defaultHome(env);
      made.core ??= createCore({
        home,
        resources,
        version,
        env,
        workerFile: join(bundles, 'load-worker.cjs'),
        readerFile: join(bundles, 'reader-process.cjs'),
        printPdf: printer(env, home),
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
    .version(version)
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
    // Of Electron's runtime commander would take the script for an argument.
    await program.parseAsync(process.argv, { from: 'node' });
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
