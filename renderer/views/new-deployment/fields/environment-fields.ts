import { fieldAt } from '../../../../main/contract/fields/fields';
import type { EngineStatus } from '../../../../main/contract/machine';
import {
  askedGpus,
  engineWords,
  imageFamily,
  inContainers,
  isElsewhere,
  isProcess,
  jobAbilities,
} from '../../../../main/contract/run/engine-kinds';
import { asSentence } from '../../../format/words';
import type { Field, FieldContext, Option, Section } from './field';
import { choiceOf, formField } from './form-field';
import { engineOf } from './why-not';

function aboutEngine(kind: EngineStatus['kind'], context: FieldContext): Pick<Option, 'note' | 'why'> {
  const { note } = engineWords(kind);
  const status = context.machine?.engines.find((engine) => engine.kind === kind);
  const { hosts = [] } = context;
  // A cluster without commands here may have a login node among the hosts.
  const isAway = isElsewhere({ kind }) || (jobAbilities(kind)?.atHosts === true && hosts.length > 0);
  // Engines elsewhere, and those not checked yet, are not refused.
  if (status === undefined || status.available || isAway) return { note };
  // Missing paths are on the Environment page.
  const why = isProcess({ kind })
    ? 'Not installed on this machine. Install it on the Environment page.'
    : [asSentence(status.note), status.remedy].filter(Boolean).join(' ');
  return { note, why };
}

const engineField = (context: FieldContext): Field =>
  formField('engine.kind', context, {
    wide: true,
    help: '',
    control: choiceOf('engine.kind', 'list', (kind: EngineStatus['kind']) => aboutEngine(kind, context)),
  });

/** A host that was removed from the list is shown while it is chosen. */
function hostField(name: 'host' | 'login', context: FieldContext): readonly Field[] {
  const { hosts = [], value } = context;
  const chosen = value('engine', name);
  const names = [...new Set([...hosts, ...(typeof chosen === 'string' ? [chosen] : [])])];
  if (names.length === 0) return [];
  const options: readonly Option[] = [
    { value: '', label: 'This machine' },
    ...names.map((host) => ({
      value: host,
      label: host,
      ...(hosts.includes(host) ? {} : { why: 'Not in the list of hosts.' }),
    })),
  ];
  return [formField(`engine.${name}`, context, { control: { kind: 'choice', cards: false, options } })];
}

function gpusField(context: FieldContext): readonly Field[] {
  const problem = context.machine?.gpus.problem ?? null;
  const gpus = formField('engine.gpus', context, { wide: true, control: { kind: 'gpus' } });
  return [problem === null ? gpus : { ...gpus, help: `${gpus.help} On this machine: ${problem}` }];
}

function imagesField(context: FieldContext): readonly Field[] {
  const engine = engineOf(context);
  const withGpus = askedGpus(engine).length > 0;
  const family = inContainers(engine) ? imageFamily(engine) : 'cpu';
  const { choices = {} } = fieldAt('engine.images');
  return [
    formField('engine.images', context, {
      help: `Default: chosen by the GPUs, now ${choices[family] ?? family}.`,
      control: choiceOf('engine.images', false, (value) =>
        value === 'cpu' && withGpus ? { why: 'Without CUDA; GPUs need NVIDIA’s images.' } : {},
      ),
    }),
  ];
}

type Own = Partial<Pick<Field, 'wide' | 'control'>>;
const fieldWith =
  (name: string, own: Own = {}) =>
  (context: FieldContext): readonly Field[] => [formField(`engine.${name}`, context, own)];
const text = (placeholder: string): Own => ({ control: { kind: 'text', placeholder } });

const ownFields: Readonly<Record<string, (context: FieldContext) => readonly Field[]>> = {
  host: (context) => hostField('host', context),
  login: (context) => hostField('login', context),
  gpus: gpusField,
  images: imagesField,
  tritonImage: fieldWith('tritonImage', text('nvcr.io/nvidia/tritonserver:…')),
  clientImage: fieldWith('clientImage', text('registry/name:tag')),
  url: fieldWith('url', { wide: true, ...text('localhost:8000') }),
  'tls.caFile': fieldWith('tls.caFile', { wide: true }),
  'tls.certFile': fieldWith('tls.certFile', { wide: true }),
  'tls.keyFile': fieldWith('tls.keyFile', { wide: true }),
};

export function environmentSections(context: FieldContext): readonly Section[] {
  const own = engineWords(engineOf(context).kind).form.map(({ fields, ...section }) => ({
    ...section,
    fields: fields.flatMap((name) => (ownFields[name] ?? fieldWith(name))(context)),
  }));
  return [{ title: 'Where it runs', fields: [engineField(context)] }, ...own];
}
