import { fieldAt } from '../../../../main/contract/fields/fields';
import type { MachineStatus } from '../../../../main/contract/machine';
import { inContainers } from '../../../../main/contract/run/engine-kinds';
import {
  type Profile,
  profiles,
  type PublishedGpu,
  publishedGpuOf,
  publishedGpus,
} from '../../../../main/contract/run/run-spec';
import { isTree } from '../../../../main/contract/trees';
import type { Field, FieldContext, Section } from './field';
import { choiceOf, formField, namedField } from './form-field';

const profileOf = (context: FieldContext): Profile =>
  context.value('model', 'profile') === 'full' ? 'full' : 'quick';

function argumentFields(context: FieldContext): readonly Field[] {
  const own = context.preset.profiles[profileOf(context)]?.args ?? {};
  const chosen = context.value('model', 'args');
  const names = new Set([...Object.keys(own), ...Object.keys(isTree(chosen) ? chosen : {})]);
  return [...names].map((name) =>
    namedField('model.args.*', name, context, {
      label: name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' '),
      term: name,
      help: '',
    }),
  );
}

function shapeFields(context: FieldContext): readonly Field[] {
  const shapes = context.preset.defaults['model'];
  const known = isTree(shapes) && isTree(shapes['shapes']) ? shapes['shapes'] : {};
  const isOwn = isTree(context.value('model', 'source'));
  if (!isOwn) return [];
  const declared = context.preset.signature.inputs;
  return Object.keys(known).map((name) => {
    const tensor = declared.find((input) => input.name === name);
    const shape = tensor?.reshape ?? tensor?.shape ?? [];
    return namedField('model.shapes.*', name, context, {
      label: name,
      term: tensor?.datatype ?? '',
      help: `The file has [${shape.join(', ')}]; choose a size here for each -1. The batch size is 1.`,
      control: { kind: 'integers', mayBeEmpty: true, placeholder: 'any' },
    });
  });
}

function inputFields(context: FieldContext): readonly Field[] {
  const kind = context.value('model', 'source', 'kind');
  // A repository has no data set.
  if (kind === 'repository') return [];
  if (kind !== undefined && kind !== 'folder') {
    return [
      formField('model.dataset', context, {
        label: 'Samples',
        help: 'Input values as an npz or a JSON file. Default: random values.',
        control: { kind: 'path', pathKind: 'file', placeholder: 'random' },
      }),
    ];
  }
  // A checkpoint of TensorFlow is a folder, an archive of one a file.
  const pathKind = context.preset.framework === 'tf' ? 'either' : 'file';
  const placeholder = fieldAt('model.checkpoint').absent ?? '';
  return [
    formField('model.checkpoint', context, { control: { kind: 'path', pathKind, placeholder } }),
    formField('model.dataset', context),
  ];
}

function foundGpu({ machine }: FieldContext): PublishedGpu | null {
  const names = machine?.gpus.gpus.map(({ name }) => name) ?? [];
  return names.map(publishedGpuOf).find((gpu) => gpu !== null) ?? null;
}

const hasGpuContainers = (machine: MachineStatus | null): boolean =>
  machine !== null &&
  machine.gpus.gpus.length > 0 &&
  machine.engines.some((engine) => inContainers(engine) && engine.available);

/**
 * The engine of a draft that has none chosen, when it is to be for a published GPU: the default stays where no container
 * could be given one. null: that of the published deployment.
 */
export const engineForTarget = (machine: MachineStatus | null): { readonly kind: 'local' } | null =>
  hasGpuContainers(machine) ? null : { kind: 'local' };

function targetGpuFields(context: FieldContext): readonly Field[] {
  const gpus = publishedGpus.filter((gpu) => context.preset.byGpu?.[gpu] !== undefined);
  // A choice made for another model can be reset.
  if (gpus.length === 0 && context.value('targetGpu') === undefined) return [];
  const found = foundGpu(context);
  const here =
    found !== null && gpus.includes(found)
      ? ` This machine has an ${found}.`
      : hasGpuContainers(context.machine)
        ? ''
        : ' Docker with a GPU was not found on this machine, so the engine does not change.';
  const field = formField('targetGpu', context, {
    wide: true,
    control: {
      kind: 'choice',
      cards: false,
      options: gpus.map((gpu) => ({ value: gpu, label: gpu === found ? `${gpu}, found here` : gpu })),
    },
  });
  return [{ ...field, help: `${field.help}${here}` }];
}

export function modelSections(context: FieldContext): readonly Section[] {
  const { preset } = context;
  const kind = context.value('model', 'source', 'kind');
  const isOwn = kind !== undefined;
  const hasFile = isOwn && kind !== 'folder';
  return [
    {
      title: isOwn ? 'Preset and profile' : 'Which model',
      fields: [
        formField('model.preset', context, {
          ...(isOwn ? { help: 'Your own model is in use. Choosing a preset replaces it.' } : {}),
          wide: true,
          control: {
            kind: 'choice',
            cards: 'grid',
            options: context.presets.map(({ id, title, summary }) => ({
              value: id,
              label: title,
              note: summary,
            })),
          },
        }),
        formField('model.profile', context, {
          ...(isOwn
            ? {
                help: hasFile
                  ? 'Number of samples and length of the measurements.'
                  : 'Size of the model and length of its measurements, as the folder defines them.',
              }
            : {}),
          wide: true,
          control: choiceOf(
            'model.profile',
            'grid',
            (profile) => ({ note: preset.profiles[profile]?.summary ?? '' }),
            profiles.filter((profile) => Object.hasOwn(preset.profiles, profile)),
          ),
        }),
      ],
    },
    { title: 'Sample shapes', fields: shapeFields(context) },
    {
      title: hasFile ? 'Samples' : 'Weights and data',
      ...(isOwn ? {} : { note: `Published with: ${preset.origin.checkpoint}; ${preset.origin.dataset}.` }),
      fields: inputFields(context),
    },
    { title: 'Comparison with published results', folded: true, fields: targetGpuFields(context) },
    {
      title: 'Model arguments',
      folded: true,
      open: true,
      note: 'Arguments passed to model.py, dataloader.py and train.py by name.',
      fields: argumentFields(context),
    },
  ];
}
