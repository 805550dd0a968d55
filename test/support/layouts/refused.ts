import type { Given } from '../checked-repository';
import { code, ensemble, fixed, type Layout, net, python, step, tensors, whole } from './layout';

/** @param where below the folder of the model */
const refused = (
  name: string,
  given: Given,
  [message, where, triton]: readonly [message: string, where: string, triton: string | null],
  more: Pick<Layout, 'parts'> & { readonly isHere?: true } = {},
): Layout => {
  const { isHere, ...rest } = more;
  const place = where === '' ? name : `${name}/${where}`;
  return {
    ...{ name, given, ...rest },
    outcome: { is: 'refused', message, where: place, triton, ...(isHere === undefined ? {} : { isHere }) },
  };
};
const here = { isHere: true } as const;
const at = (line: number): string => `config.pbtxt, line ${line}`;
const unread = 'failed to read text proto from';

export const refusedLayouts: readonly Layout[] = [
  refused(
    'no_version',
    { config: whole, files: { 'model.onnx': 'x' } },
    [
      'the model has no version folder; model.onnx is beside config.pbtxt',
      '',
      "at least one version must be available under the version policy of model 'no_version'",
    ],
    here,
  ),
  refused(
    'odd_version',
    { config: whole, files: { 'v1/model.onnx': 'x' } },
    [
      'the model has no version folder',
      '',
      "at least one version must be available under the version policy of model 'odd_version'",
    ],
    here,
  ),
  refused(
    'policy',
    { ...net, config: `${whole}version_policy { specific { versions: [ 3 ] } }\n` },
    [
      'version_policy serves none of the version folders 1',
      at(5),
      "at least one version must be available under the version policy of model 'policy'",
    ],
    here,
  ),
  refused('other_file', { config: whole, files: { '1/best.onnx': 'x' } }, [
    'the version folder has no model.onnx; it has best.onnx',
    '1',
    "/1/model.onnx' for model instance 'other_file'",
  ]),
  refused('batched_one', { config: whole, onnx: fixed }, [
    'max_batch_size is 8, but the first axis of the input x is 1 in the file [1, 3]',
    at(2),
    "autofill failed for model 'batched_one': model does not support batching",
  ]),
  refused('wrong_name', { ...net, config: whole.replace('"y"', '"output"') }, [
    'the file has no output "output"; it has y',
    at(4),
    "unexpected inference output 'output', allowed outputs are: y",
  ]),
  refused('wrong_type', { ...net, config: whole.replace('FP32', 'FP16') }, [
    'the input x is TYPE_FP16 in config.pbtxt, but TYPE_FP32 in the file',
    at(3),
    "configuration expects datatype TYPE_FP16 for input 'x', model provides TYPE_FP32",
  ]),
  refused('wrong_axes', { ...net, config: whole.replace('[ 3 ]', '[ 3, 1 ]') }, [
    'the input x has dims [3, 1] in config.pbtxt, but [3] in the file',
    at(3),
    "model 'wrong_axes', tensor 'x': the model expects 2 dimensions",
  ]),
  refused(
    'forgotten_input',
    { config: whole, onnx: { inputs: ['x', 'z'].map((name) => ({ name, shape: ['n', 3] })) } },
    [
      'the file has an input "z" that config.pbtxt lacks',
      at(3),
      'configuration expects 1 inputs, model provides 2',
    ],
  ),
  refused(
    'bad_type',
    { ...net, config: whole.replace('FP32', 'FLOAT32') },
    ['"TYPE_FLOAT32" is not a value of data_type', at(3), unread],
    here,
  ),
  refused(
    'quotes',
    { ...net, config: whole.replace('"onnxruntime_onnx"', '“onnxruntime_onnx”') },
    ['Typographic quotes: “', at(1), unread],
    here,
  ),
  refused(
    'comma',
    { ...net, config: whole.replace('[ 3 ]', '[ 3, ]') },
    ['A comma without a value after it in dims', at(3), unread],
    here,
  ),
  refused(
    'unknown_field',
    { ...net, config: whole.replace('max_batch_size', 'max_batchsize') },
    ['"max_batchsize" is not a field of', at(2), unread],
    here,
  ),
  refused(
    'text_number',
    { ...net, config: whole.replace('8', '"8"') },
    ['max_batch_size', at(2), unread],
    here,
  ),
  refused(
    'two_batchers',
    { config: `${python}dynamic_batching { }\nsequence_batching { }\n`, files: code },
    ['sequence_batching excludes dynamic_batching', at(6), unread],
    here,
  ),
  refused(
    'twice_written',
    { ...net, config: `${whole}max_batch_size: 4\n` },
    ['max_batch_size is written twice, in line 2 too', at(5), unread],
    here,
  ),
  refused('mark', { ...net, config: `\ufeff${whole}` }, ['byte order mark', at(1), unread], here),
  refused(
    'other_name',
    { ...net, config: `name: "another"\n${whole}` },
    [
      'config.pbtxt calls the model "another", its folder is "other_name"',
      at(1),
      "unexpected directory name 'other_name' for model 'another', directory name must equal model name",
    ],
    here,
  ),
  refused(
    'platform',
    { ...net, config: whole.replace('onnxruntime_onnx', 'onnxruntime') },
    [
      '"onnxruntime" is not a platform of Triton',
      at(1),
      "unexpected platform type 'onnxruntime' for platform",
    ],
    here,
  ),
  refused(
    'pair',
    { ...net, config: `backend: "pytorch"\n${whole}` },
    [
      'platform "onnxruntime_onnx" and backend "pytorch" do not belong together',
      at(2),
      "unexpected 'platform' and 'backend' pair, got:onnxruntime_onnx, pytorch",
    ],
    here,
  ),
  refused(
    'misnamed',
    { ...net, config: whole.replace('platform: "onnxruntime_onnx"', 'backend: "onnx"') },
    [
      '"onnx" is not a backend of Triton; did you mean onnxruntime?',
      at(1),
      "unable to find backend library for backend 'onnx'",
    ],
    here,
  ),
  refused(
    'no_backend',
    { config: `max_batch_size: 8\n${tensors}`, files: { '1/weights.bin': 'x' } },
    [
      'config.pbtxt names no backend, and none can be inferred from the files',
      'config.pbtxt',
      'Could not determine backend',
    ],
    here,
  ),
  refused(
    'below_nothing',
    { ...net, config: whole.replace('8', '-1') },
    ['max_batch_size is -1', at(2), "'max_batch_size' must be non-negative value for below_nothing"],
    here,
  ),
  refused(
    'preferred',
    { ...net, config: `${whole}dynamic_batching {\n  preferred_batch_size: [ 16 ] }\n` },
    [
      'preferred_batch_size 16 is not between 1 and max_batch_size 8',
      at(6),
      'dynamic batching preferred size must be <= max batch size for preferred',
    ],
    here,
  ),
  refused(
    'levels',
    { ...net, config: `${whole}dynamic_batching {\n  priority_levels: 2 }\n` },
    [
      'default_priority_level is 0, and there are 2 levels',
      at(5),
      'default priority level must be in range [1, 2] for levels',
    ],
    here,
  ),
  refused(
    'level_policy',
    {
      ...net,
      config: `${whole}dynamic_batching {\n  priority_levels: 2 default_priority_level: 1\n  priority_queue_policy { key: 5 value { max_queue_size: 2 } } }\n`,
    },
    [
      'priority_queue_policy is for level 5, and there are 2 levels',
      at(7),
      'priority queue policy must have priority level in range [1, 2] for level_policy',
    ],
    here,
  ),
  refused(
    'ordered',
    {
      ...net,
      config: `${whole}dynamic_batching {\n  preserve_ordering: true\n  priority_levels: 2 default_priority_level: 1 }\n`,
    },
    [
      'preserve_ordering keeps the order of requests, which priority levels change',
      at(6),
      "Only one priority level is allowed when 'preserve_ordering' is true for ordered",
    ],
    here,
  ),
  refused(
    'ordered_delay',
    {
      ...net,
      config: `${whole}dynamic_batching {\n  preserve_ordering: true\n  default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 500000 } }\n`,
    },
    [
      'preserve_ordering keeps the order of requests, which the timeout action DELAY changes',
      at(7),
      "Queue policy can not have DELAY as timeout action when 'preserve_ordering' is true for ordered_delay",
    ],
    here,
  ),
  refused(
    'no_axis',
    { ...net, config: whole.replace('[ 3 ]', '[ 0 ]') },
    [
      'the input x has dims [0]',
      at(3),
      'dimension must be integer >= 1, or -1 to indicate a variable-size dimension for no_axis',
    ],
    here,
  ),
  refused(
    'cpu_gpus',
    { config: `${python}instance_group [\n  { kind: KIND_CPU gpus: [ 0 ] } ]\n`, files: code },
    [
      'instance_group[0] is KIND_CPU and names GPUs',
      at(6),
      'has kind KIND_CPU but specifies one or more GPUs',
    ],
    here,
  ),
  refused(
    'no_labels',
    { ...net, config: whole.replace('"y"', '"y" label_filename: "labels.txt"') },
    ['label_filename of the output y is missing: labels.txt', at(4), 'labels.txt: No such file or directory'],
    here,
  ),
  refused(
    'pointer',
    {
      config: whole,
      files: { '1/model.onnx': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n' },
    },
    ['Git LFS', '1/model.onnx', null],
  ),
  refused('no_code', { config: python, files: { '1/weights.bin': 'x' } }, [
    'the version folder has no model.py; it has weights.bin',
    '1',
    "/1/model.py' for model instance 'no_code'",
  ]),
  refused('no_execute', { config: python, files: { '1/model.py': '\nclass TritonPythonModel: pass\n' } }, [
    'TritonPythonModel has no function execute',
    '1/model.py, line 2',
    'does not implement `execute` method.',
  ]),
  refused(
    'no_part',
    ensemble(step('absent', 'x', 'y')),
    [
      'the repository has no model absent',
      at(7),
      'ensemble no_part contains models that are not available or ambiguous: absent',
    ],
    here,
  ),
  refused(
    'no_folder',
    { ...ensemble(step('no_folder_net', 'x', 'y')), files: {} },
    [
      'the model has no version folder',
      '',
      "at least one version must be available under the version policy of model 'no_folder'",
    ],
    { ...here, parts: { no_folder_net: net } },
  ),
  refused(
    'no_input',
    ensemble(step('no_input_net', 'x', 'y').replace('"x" value', '"images" value')),
    [
      'input_map names "images", which is not an input of no_input_net',
      at(7),
      'in ensemble no_input, ensemble tensor x is mapping to non-existing input images in model no_input_net',
    ],
    { ...here, parts: { no_input_net: net } },
  ),
  refused(
    'other_part_type',
    ensemble(step('other_part_type_net', 'x', 'y')),
    [
      '"x" is TYPE_FP32 in other_part_type, but TYPE_INT32 in other_part_type_net',
      at(7),
      'inconsistent data type: TYPE_FP32 is inferred from model other_part_type while TYPE_INT32 is inferred from model other_part_type_net',
    ],
    { ...here, parts: { other_part_type_net: { config: python.replace('FP32', 'INT32'), files: code } } },
  ),
  refused(
    'itself',
    ensemble(step('itself', 'x', 'y')),
    ['the ensemble is a step of itself', at(5), 'circular dependency between ensembles: itself'],
    here,
  ),
];
