import { join } from 'node:path';
import { givenWeights } from '../contract/given-weights';
import type { Scenario } from '../contract/run-events';
import type { Framework, RunSpec } from '../contract/run-spec';
import type { LoadLevel } from '../contract/scenario-levels';
import { exportedFormat, formatOf } from '../formats/formats';
import type { RunFolder } from './run-folder';

/** Names of what the first step leaves in its folder. */
const preparedNames = (framework: Framework) =>
  ({ dataset: 'dataset', checkpoint: framework === 'tf' ? 'checkpoint.npz' : 'checkpoint.pt' }) as const;

/**
 * Where the steps of a run leave what later ones take; the user's own data set and weights stay where they are.
 * @param framework decides the name of the weights alone.
 */
export function runFiles(folder: RunFolder, spec: RunSpec, framework: Framework = 'pyt') {
  const model = formatOf(spec.format).fileName;
  const names = preparedNames(framework);
  const prepared = folder.step('prepare-data');
  const accuracy = folder.step('accuracy');
  return {
    dataset: spec.model.dataset ?? join(prepared, names.dataset),
    checkpoint: givenWeights(spec.model) ?? join(prepared, names.checkpoint),
    exported: join(folder.step('export'), formatOf(exportedFormat(spec.format)).fileName),
    converted: join(folder.step('convert'), model),
    frameworkDump: join(accuracy, 'framework'),
    tritonDump: join(accuracy, 'triton'),
    frameworkMetrics: join(folder.results, 'accuracy-metrics-framework.csv'),
    tritonMetrics: join(folder.results, 'accuracy-metrics-triton.csv'),
    inputData: folder.step('profile-data'),
  } as const;
}

/** Folder of one measured level. @param turn which measurement of it, where there are several; '' for the first. */
export function levelFolder(folder: RunFolder, scenario: Scenario, level: LoadLevel, turn = ''): string {
  const rate = level.requestRate === undefined ? '' : `-r${level.requestRate}`;
  return join(folder.step(scenario), `b${level.batchSize}-c${level.concurrency}${rate}${turn}`);
}
