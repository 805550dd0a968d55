import { dirname } from 'node:path';
import { inContainers } from '../contract/run/engine-kinds';
import { pythonOf } from '../contract/run/own-model';
import { stepsOf } from '../contract/run/run-events';
import { repositoryOf, type RunSpec } from '../contract/run/run-spec';
import type { PlannedCommand } from '../contract/run/spec-tools';
import { containerPaths } from '../engine/docker/run-files';
import type { ServerPrograms } from '../engine/engine-interface';
import { plannedServer } from '../engine/engine-registry';
import type { HomeLayout } from '../platform/layout';
import type { LoadedPreset } from '../presets/presets';
import { servedSignature } from '../specification/read-choice';
import { runFolder } from '../store/run-folder';
import { toolkitWords } from '../toolkit/toolkit';
import { checkSteps } from './plan';
import type { PlannedRun, StepCommand } from './step';
import { accuracyStep } from './steps/accuracy.step';
import { configureStep } from './steps/configure.step';
import { convertStep } from './steps/convert.step';
import { deployStep } from './steps/deploy.step';
import { exportStep } from './steps/export.step';
import { imagesStep } from './steps/images.step';
import { offlineStep, onlineStep } from './steps/measure.step';
import { prepareDataStep } from './steps/prepare-data.step';
import { profileDataStep } from './steps/profile-data.step';
import { reportStep } from './steps/report.step';

export interface CommandPlaces {
  readonly layout: ServerPrograms &
    Pick<HomeLayout, 'python' | 'tensorflow' | 'transformers' | 'trees' | 'perfAnalyzer'>;
  readonly resources: string;
  /** Bundled entry of the built-in load generator. */
  readonly workerFile: string;
}

/** Placeholder for the folder and id of a future run. */
const unknownRun = '<run>';

/** Commands of every step. Throws input-invalid for an invalid address, spec-invalid for a model without signature. */
export function plannedCommands(
  preset: LoadedPreset,
  spec: RunSpec,
  { layout, resources, workerFile }: CommandPlaces,
): readonly PlannedCommand[] {
  const inside = inContainers(spec.engine);
  const folder = runFolder(unknownRun);
  const server = plannedServer(spec, {
    runId: unknownRun,
    repository: folder.repository,
    logs: folder.step('deploy'),
    asIs: repositoryOf(spec.model) !== null,
    programs: layout,
  });
  const run: PlannedRun = {
    spec,
    preset,
    folder,
    signature: servedSignature(preset, spec),
    forClients: server.forClients,
    server: server.command,
    analyzer: inside ? 'perf_analyzer' : layout.perfAnalyzer,
  };
  const paths = containerPaths({ runDir: unknownRun, resources, bundles: dirname(workerFile), spec });
  const onThisMachine = layout[pythonOf(preset.preset.framework ?? 'pyt', spec.model)];
  const argvOf = (command: StepCommand): readonly string[] => {
    const python = inside ? 'python' : onThisMachine;
    const argv = 'verb' in command ? [python, ...toolkitWords(command)] : command;
    return inside ? argv.map((word) => paths.toContainer(word)) : argv;
  };
  const applying = stepsOf(spec);
  return steps
    .filter(({ id }) => applying.includes(id))
    .flatMap((step) =>
      (step.commands?.(run) ?? []).map((command) => ({ step: step.id, argv: argvOf(command) })),
    );
}

export const steps = checkSteps([
  imagesStep,
  prepareDataStep,
  exportStep,
  convertStep,
  configureStep,
  deployStep,
  accuracyStep,
  profileDataStep,
  offlineStep,
  onlineStep,
  reportStep,
]);
