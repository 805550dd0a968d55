import { stepTitle } from '../../../main/contract/step-text';
import type { StepId } from '../../../main/contract/run-events';
import { stepsOf } from '../../../main/contract/run-events';
import type { RunSpec } from '../../../main/contract/run-spec';
import { imageFamily } from '../../../main/contract/serving';
import { formatText, loadToolText, precisionText } from '../../format/words';
import type { DraftValue } from '../../stores/draft';

const list = (values: readonly number[]): string => values.join(', ');

const levels = (count: number): string => (count === 1 ? '1 level' : `${count} levels`);

const what: Readonly<Record<StepId, (spec: RunSpec) => string>> = {
  images: ({ engine }) =>
    engine.kind === 'docker'
      ? `Builds or pulls what is missing (${imageFamily(engine)})`
      : 'No image is needed',
  'prepare-data': ({ model }) => model.dataset ?? 'Generates a data set of images',
  export: ({ format, onnxOpset }) =>
    `${formatText[format]}${format === 'onnx' ? `, opset ${onnxOpset}` : ''}, from FP32 weights`,
  convert: ({ precision }) =>
    precision === 'fp32' ? 'Checks the exported file' : `To ${precisionText[precision]}`,
  configure: ({ configure }) =>
    `config.pbtxt: max_batch_size ${configure.maxBatchSize}, ${configure.batching} batching, ${configure.instances} instance${configure.instances === 1 ? '' : 's'}`,
  deploy: ({ engine, configure }) => {
    const gpus = engine.kind === 'docker' && engine.gpus.length > 0 ? `, GPUs ${engine.gpus.join(', ')}` : '';
    return `Starts Triton (${engine.kind}${gpus}) and loads ${configure.modelName}`;
  },
  accuracy: ({ accuracy }) => {
    const limits = Object.entries(accuracy.thresholds).map(([name, value]) => `${name} ≥ ${value}`);
    return ['Framework against Triton', ...limits].join('; ');
  },
  'profile-data': ({ performance }) => `Input values: ${performance.inputData}`,
  offline: ({ performance }) =>
    `${levels(performance.batchSizes.length)}: batch size ${list(performance.batchSizes)}; concurrency 1`,
  online: ({ performance }) =>
    `${levels(performance.concurrency.length)}: concurrency ${list(performance.concurrency)}; batch size ${performance.onlineBatchSize}`,
  report: ({ performance }) => `HTML, PDF and CSV; measured by ${loadToolText[performance.loadTool]}`,
};

/** The steps of a run in words, before it starts. */
export const planText = (
  spec: RunSpec,
): readonly { readonly step: StepId; readonly title: string; readonly what: string }[] =>
  stepsOf(spec).map((step) => ({ step, title: stepTitle[step], what: what[step](spec) }));

const value = (of: DraftValue): string => (typeof of === 'string' ? of : JSON.stringify(of));

/** The same run on the command line. */
export function cliCommand(preset: string, values: Readonly<Record<string, DraftValue>>): readonly string[] {
  const changes = Object.entries(values).flatMap(([field, of]) => ['--set', `${field}=${value(of)}`]);
  return ['npm', 'run', 'cli', '--', 'run', preset, ...changes];
}
