import { engineSummary, isElsewhere } from '../../../main/contract/run/engine-kinds';
import type { Format, Precision } from '../../../main/contract/run/run-spec';
import { formatText, precisionText, profileText } from '../../format/words';
import type { WizardPage } from '../../stores/draft/wizard-page';
import type { FieldContext } from './fields/field';
import { engineOf } from './fields/why-not';
import { valueText } from './read-text';

export const pageText: Readonly<
  Record<WizardPage, { readonly intro: string; readonly help: readonly string[] }>
> = {
  environment: {
    intro: 'Where Triton and the client run.',
    help: [
      'Local is the quickest start: Triton from its Python wheel, on this machine’s CPU.',
      'Docker runs Triton and the client in containers of one NVIDIA release, so that results can be reproduced elsewhere. Use GPUs for production measurements.',
      'Remote measures a running Triton. The model is loaded through its repository API, so the server must allow explicit model control.',
    ],
  },
  model: {
    intro: 'Model, weights and data of the deployment.',
    help: [
      'A preset is a published deployment: model code, data loader, metrics and published settings.',
      'Quick is a small version that trains locally in seconds and shows every step. Full has the published size; add a checkpoint for meaningful accuracy.',
      'Drop a weights file or a data set folder anywhere on this window.',
    ],
  },
  export: {
    intro: 'Format and precision of the file that Triton loads.',
    help: [
      'The model is exported from the framework to the format, then converted to the precision. Each file is run once and compared with the framework before deployment.',
    ],
  },
  configure: {
    intro: 'How Triton serves the model. The form and config.pbtxt are kept in sync.',
    help: [
      'The form has the common settings. Add any other config.pbtxt setting in the editor; it is kept as edited by hand.',
      'The question marks beside the labels explain the effect of a setting on latency and throughput.',
    ],
  },
  accuracy: {
    intro: 'Limits of the accuracy gate, which runs before any measurement.',
    help: [
      'The same samples run through the framework and through Triton. Every output must be within the tolerances, and every metric within its limit and threshold.',
    ],
  },
  performance: {
    intro: 'Load levels and length of the measurement.',
    help: [
      'Offline sends one request at a time with increasing batch sizes and shows the limits of the model. Online sends many concurrent requests and shows the effect of batching on the server.',
      'A level is steady once three windows in a row agree in throughput and latency. A level that does not settle is marked, and the sweep continues.',
    ],
  },
  review: {
    intro: 'Steps of the run, and changes from the defaults.',
    help: [
      'Each run has its own folder with a journal. It can be cancelled and resumed, and continues where it stopped.',
      'run.yaml and the shell script start the same run without this window.',
    ],
  },
};

const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function environmentSummary(context: FieldContext): string {
  const engine = engineOf(context);
  if (!isElsewhere(engine)) return engineSummary(engine);
  return valueText(context.value('engine', 'url')).replace(/^—$/, 'Remote Triton');
}

function loadSummary({ value }: FieldContext): string {
  const rates = value('performance', 'requestRates');
  const online = count(rates) > 0 ? rates : value('performance', 'concurrency');
  const levels = online === 'formula' ? 'formula' : String(count(online));
  return `${count(value('performance', 'batchSizes'))} offline, ${levels} online`;
}

export const pageSummary: Readonly<Record<WizardPage, (context: FieldContext) => string>> = {
  environment: environmentSummary,
  model: ({ value, preset }) =>
    `${preset.title}, ${value('model', 'profile') === 'full' ? profileText.full : profileText.quick}`,
  export: ({ value }) =>
    `${formatText[value('format') as Format]}, ${precisionText[value('precision') as Precision]}`,
  configure: ({ value }) =>
    `Batch ${valueText(value('configure', 'maxBatchSize'))}, ${valueText(value('configure', 'batching'))}`,
  accuracy: ({ value }) => {
    const atol = `± ${valueText(value('accuracy', 'atol', '*'))}`;
    return value('accuracy', 'allowUnverified') === true ? `${atol}, continues` : atol;
  },
  performance: loadSummary,
  review: () => '',
};
