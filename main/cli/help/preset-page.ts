import { type PresetKey, presetKeys, yamlFlow } from '../../contract/run/preset-keys';

/** The smallest valid preset.yaml. */
export const smallestPreset = `id: my-model
title: My model
summary: What it does, in one sentence.
formats: [onnx, ts-trace]
precisions: [fp32]
accelerators: [none]
metrics: []
origin: { dataset: own, checkpoint: own, paper: none }
signature:
  inputs:
    - { name: INPUT__0, datatype: FP32, shape: [-1, 3] }
  outputs:
    - { name: OUTPUT__0, datatype: FP32, shape: [-1, 2] }
defaults: {}
profiles:
  quick: { summary: A short look., args: {}, defaults: {} }
`;

const code = (text: string): string => `\`${text}\``;

function rowOf({ path, type, isRequired, description, example, absent }: PresetKey): readonly string[] {
  const shown = example === undefined ? '' : code(yamlFlow(example));
  return [code(path), `${description}.`, type, isRequired ? 'required' : (absent ?? 'none'), shown];
}

const header = ['Key', 'What it is', 'Value', 'If omitted', 'Example'];

const table = (keys: readonly PresetKey[]): string =>
  [header, header.map(() => '---'), ...keys.map(rowOf)]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

const ofPublished = /^(origin\.(datasets|checkpoints)|notOffered|notes|byGpu)\b/;

/** The guide's page about preset.yaml: every key. */
export function presetPage(): string {
  const keys = presetKeys();
  return [
    '# preset.yaml',
    'Written by `triton-workbench reference preset`. `preset.yaml` describes a [model folder](own-models.md), and the workbench reads it without executing any code of the folder. ' +
      '`triton-workbench init DIR` writes one with comments. A minimal example:',
    `\`\`\`yaml\n${smallestPreset}\`\`\``,
    'The names under `signature` are those that `get_model` of `model.py` returns: `{"inputs": ["INPUT__0"], "outputs": ["OUTPUT__0"]}`. ' +
      'A `forward` that returns a dict, a dataclass, a NamedTuple or an output of transformers is taken by its keys: name the outputs as the keys.',
    'When you open the folder, one message lists everything that is missing or wrong, with the form of each key. Fields of [run.yaml](fields.md) in `defaults` and in the ' +
      'profiles are checked too. In an editor with a YAML language server, write the schema beside it with ' +
      '`triton-workbench reference schema-preset > preset.schema.json`, and put this line first: `# yaml-language-server: $schema=./preset.schema.json`',
    '## Keys',
    '`[]` is an entry of a list, `*` a name. A key of a part is required if the part is present.',
    table(keys.filter(({ path }) => !ofPublished.test(path))),
    '## Keys of published deployments',
    'The presets of the workbench have these keys too. Your own folder needs none of them.',
    table(keys.filter(({ path }) => ofPublished.test(path))),
    '',
  ].join('\n\n');
}
