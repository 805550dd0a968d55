import { join } from 'node:path';
import { givenWeights } from '../contract/run/artefacts';
import { isFileSource } from '../contract/run/own-model';
import type { Framework, RunSpec } from '../contract/run/run-spec';
import { exportedFormat, formatOf } from '../formats/formats';
import type { RunFolder } from './run-folder';

const preparedNames = (framework: Framework) =>
  ({ dataset: 'dataset', checkpoint: framework === 'tf' ? 'checkpoint.npz' : 'checkpoint.pt' }) as const;

/** Paths that steps share; the user's files stay in place. @param framework only affects the weights' name */
export function runFiles(folder: RunFolder, spec: RunSpec, framework: Framework = 'pyt') {
  const model = formatOf(spec.format).fileName;
  const names = preparedNames(framework);
  const prepared = folder.step('prepare-data');
  const accuracy = folder.step('accuracy');
  const ownFile = isFileSource(spec.model) ? givenWeights(spec.model) : undefined;
  return {
    dataset: spec.model.dataset ?? join(prepared, names.dataset),
    checkpoint: ownFile ?? join(prepared, names.checkpoint),
    checkpointArguments: join(prepared, 'checkpoint-arguments.json'),
    exported: join(folder.step('export'), formatOf(exportedFormat(spec.format)).fileName),
    converted: join(folder.step('convert'), model),
    frameworkDump: join(accuracy, 'framework'),
    tritonDump: join(accuracy, 'triton'),
    /** Second framework evaluation, made if Triton disagreed. */
    twiceDump: join(accuracy, 'framework-twice'),
    keptSamples: join(accuracy, 'samples'),
    frameworkMetrics: join(folder.results, 'accuracy-metrics-framework.csv'),
    tritonMetrics: join(folder.results, 'accuracy-metrics-triton.csv'),
    inputData: folder.step('profile-data'),
  } as const;
}
