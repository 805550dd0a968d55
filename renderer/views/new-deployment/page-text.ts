import type { Format, Precision } from '../../../main/contract/run-spec';
import { formatText, precisionText, profileText } from '../../format/words';
import type { WizardPage } from '../../stores/wizard-page';
import { engineOf } from './fields/why-not';
import type { FieldContext } from './fields/field';
import { valueText } from './read-text';

/** One sentence below the heading of a page, and what F1 adds to it. */
export const pageText: Readonly<
  Record<WizardPage, { readonly intro: string; readonly help: readonly string[] }>
> = {
  environment: {
    intro: 'Where Triton and the client run.',
    help: [
      'Local is quickest to begin with: Triton from its Python wheel, on this machine’s CPU.',
      'Docker runs Triton and the client in containers of one NVIDIA release, so that a result can be had again elsewhere. Give it GPUs for measurements that count.',
      'Remote measures a Triton that runs already. The model is loaded there through its repository API, so the server must allow explicit model control.',
    ],
  },
  model: {
    intro: 'What is deployed, with which weights and data.',
    help: [
      'A preset is a published deployment: the model’s code, the loader of its data, its metrics and the values it was published with.',
      'Quick is a narrow version that trains here in seconds and shows every step. Full has the published size; give it a checkpoint for accuracy that means something.',
      'Drop a weights file or a data set’s folder anywhere on this window.',
    ],
  },
  export: {
    intro: 'The file that Triton loads.',
    help: [
      'The model is exported from the framework to the format, then converted to the precision. Each file is run once and compared with the framework before anything is deployed.',
    ],
  },
  configure: {
    intro: 'How Triton serves the model: the form and config.pbtxt say the same.',
    help: [
      'The form holds what is usually set. Whatever else config.pbtxt can say is written in the text beside it and kept as edited by hand.',
      'The question marks beside the labels say what a setting does to latency and throughput.',
    ],
  },
  accuracy: {
    intro: 'When the deployment counts as right. Nothing is measured before this gate.',
    help: [
      'The same samples go through the framework and through Triton. The largest difference of every output is compared with the tolerances, and the metrics with each other and with the thresholds.',
    ],
  },
  performance: {
    intro: 'What is measured, and how long.',
    help: [
      'Offline: one request at a time with growing batch sizes, which shows what the model itself can do. Online: many single requests at the same time, which shows what batching on the server makes of them.',
      'A level is steady once three windows in a row agree in throughput and latency. A level that does not settle is marked, and the sweep continues.',
    ],
  },
  review: {
    intro: 'What will be done, and what differs from the defaults.',
    help: [
      'Each run has its own folder with a journal. It can be cancelled and resumed, and continues where it stopped.',
      'run.yaml and the shell script do the same run without this window.',
    ],
  },
};

const count = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

/** A page's choices in a few words, below its name. */
export function pageSummary(page: WizardPage, context: FieldContext): string {
  const { value } = context;
  switch (page) {
    case 'environment': {
      const engine = engineOf(context);
      if (engine.kind === 'local') return 'Local Triton';
      if (engine.kind === 'remote') return valueText(value('engine', 'url')).replace(/^—$/, 'Remote Triton');
      return engine.gpus.length === 0 ? 'Docker, CPU' : 'Docker, GPU';
    }
    case 'model':
      return `${context.preset.title}, ${value('model', 'profile') === 'full' ? profileText.full : profileText.quick}`;
    case 'export':
      return `${formatText[value('format') as Format]}, ${precisionText[value('precision') as Precision]}`;
    case 'configure':
      return `Batch ${valueText(value('configure', 'maxBatchSize'))}, ${valueText(value('configure', 'batching'))}`;
    case 'accuracy': {
      const atol = `± ${valueText(value('accuracy', 'atol', '*'))}`;
      return value('accuracy', 'allowUnverified') === true ? `${atol}, continues` : atol;
    }
    case 'performance': {
      const rates = value('performance', 'requestRates');
      const online = Array.isArray(rates) && rates.length > 0 ? rates : value('performance', 'concurrency');
      const levels = online === 'formula' ? 'formula' : String(count(online));
      return `${count(value('performance', 'batchSizes'))} offline, ${levels} online`;
    }
    case 'review':
      return '';
  }
}
