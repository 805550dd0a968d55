import type { Given } from '../checked-repository';
import { onnxBytes } from '../onnx-bytes';
import { code, ensemble, fixed, type Layout, net, python, step, whole } from './layout';

const served = (
  name: string,
  given: Given,
  more: Pick<Layout, 'parts'> & { readonly shapes?: Record<string, number[]> } = {},
): Layout => {
  const { shapes, ...rest } = more;
  return { name, given, ...rest, outcome: { is: 'served', ...(shapes === undefined ? {} : { shapes }) } };
};

export const servedLayouts: readonly Layout[] = [
  served('no_config', { onnx: {} }),
  served('empty_config', { config: '', onnx: {} }),
  served('backend_only', { config: 'backend: "onnxruntime"\n', onnx: {} }),
  served('platform_only', { config: 'platform: "onnxruntime_onnx"\n', onnx: {} }),
  served('whole', net),
  served('named', { ...net, config: `name: "named"\n${whole}` }),
  served('line_endings', { ...net, config: `# by hand\r\n${whole.replaceAll('\n', '\r\n')}` }),
  served('file_name', {
    config: `${whole}default_model_filename: "best.onnx"\n`,
    files: { '1/best.onnx': onnxBytes() },
  }),
  served('fixed_batch', { config: 'backend: "onnxruntime"\nmax_batch_size: 0\n', onnx: fixed }),
  served(
    'without_batching',
    { config: whole.replace('batch_size: 8', 'batch_size: 0').replaceAll('[ 3 ]', '[ -1, 3 ]'), onnx: {} },
    { shapes: { x: [1, 3] } },
  ),
  served('two_versions', { ...net, files: { '2/model.onnx': onnxBytes() } }),
  served('first_version', {
    config: `${whole}version_policy { specific { versions: [ 1 ] } }\n`,
    onnx: {},
    files: { '2/model.onnx': onnxBytes() },
  }),
  served('every_version', {
    config: `${whole}version_policy { all { } }\n`,
    onnx: {},
    files: { '3/model.onnx': onnxBytes() },
  }),
  served('strays', {
    ...net,
    files: { 'README.md': 'by hand', 'v2/notes.txt': 'none', '1/config.pbtxt': 'not read' },
  }),
  served('labels', {
    config: whole.replace('"y"', '"y" label_filename: "labels.txt"'),
    onnx: {},
    files: { 'labels.txt': 'a\nb\nc\n' },
  }),
  served('tuned', {
    config: `${whole}dynamic_batching {
  preferred_batch_size: [ 4, 8 ]   # measured
  max_queue_delay_microseconds: 100
  priority_levels: 2 default_priority_level: 1
  default_queue_policy { max_queue_size: 64 timeout_action: REJECT default_timeout_microseconds: 500000 }
}
instance_group [ { count: 2 kind: KIND_CPU } ]
parameters { key: "intra_op_thread_count" value: { string_value: "1" } }
optimization { graph { level: 1 } }
`,
    onnx: {},
  }),
  served('reshaped', {
    config: whole.replace('dims: [ 3 ] } ]\noutput', 'dims: [ 3, 1 ] reshape { shape: [ 3 ] } } ]\noutput'),
    onnx: {},
  }),
  served('python', { config: python, files: code }),
  served('optional', {
    config: python.replace(
      'output',
      'input [ { name: "z" data_type: TYPE_FP32 dims: [ 3 ] optional: true } ]\noutput',
    ),
    files: code,
  }),
  served('chain', ensemble(step('chain_net', 'x', 't'), step('chain_code', 't', 'y')), {
    parts: { chain_net: { onnx: {}, config: whole }, chain_code: { config: python, files: code } },
  }),
  served('nested', ensemble(step('nested_inner', 'x', 't'), step('nested_code', 't', 'y')), {
    parts: {
      nested_inner: ensemble(step('nested_code', 'x', 'y')),
      nested_code: { config: python, files: code },
    },
  }),
];
