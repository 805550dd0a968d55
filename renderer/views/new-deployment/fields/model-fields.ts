import { fieldAt } from '../../../../main/contract/fields/fields';
import { type Profile, profiles } from '../../../../main/contract/run/run-spec';
import { isTree } from '../../../../main/contract/trees';
import { profileText } from '../../../format/words';
import type { Field, FieldContext, Section } from './field';
import { formField, namedField } from './form-field';
import { targetGpuFields } from './target-gpu';

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

/** Shapes of an own file's samples, one field an input; none for code, whose loader decides. */
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

/** Weights and data of code; a model file has its weights in it. */
function inputFields(context: FieldContext): readonly Field[] {
  const kind = context.value('model', 'source', 'kind');
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

/** The model, its weights and its data. */
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
          control: {
            kind: 'choice',
            cards: 'grid',
            options: profiles
              .filter((profile) => Object.hasOwn(preset.profiles, profile))
              .map((profile) => ({
                value: profile,
                label: profileText[profile],
                note: preset.profiles[profile]?.summary ?? '',
              })),
          },
        }),
      ],
    },
    { title: 'Sample shapes', fields: shapeFields(context) },
    {
      title: hasFile ? 'Samples' : 'Weights and data',
      ...(isOwn ? {} : { note: `Published with: ${preset.origin.checkpoint}; ${preset.origin.dataset}.` }),
      fields: inputFields(context),
    },
    {
      title: 'Comparison with published results',
      folded: true,
      fields: targetGpuFields(context),
    },
    {
      title: 'Model arguments',
      folded: true,
      open: true,
      note: 'Arguments passed to model.py, dataloader.py and train.py by name.',
      fields: argumentFields(context),
    },
  ];
}
