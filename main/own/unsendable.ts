import { shellWord } from '../contract/flag-text';
import { someOf } from '../platform/lines';

export type Unsendable =
  'text' | 'bfloat16' | 'complex' | 'sequence' | 'map' | 'optional' | 'sparse' | 'composite' | 'unknown';

interface NamedTensor {
  readonly side: 'input' | 'output';
  readonly name: string;
  /** null: numbers. */
  readonly what: Unsendable | null;
}

interface OnnxFile {
  readonly path: string;
  /** Input of each ZipMap, by output name. */
  readonly zipMaps: ReadonlyMap<string, string>;
}

const words: Readonly<Record<Unsendable, string>> = {
  text: 'text (string, BYTES on Triton)',
  bfloat16: 'bfloat16',
  complex: 'complex numbers',
  sequence: 'a sequence',
  map: 'a map',
  optional: 'an optional value',
  sparse: 'a sparse tensor',
  composite: 'a sparse or composite tensor',
  unknown: 'of an unknown type',
};

const isText = ({ what }: NamedTensor): boolean => what === 'text';

/** `The inputs "city", "sex" and the output "label" are text …`. */
function sentence(tensors: readonly NamedTensor[], kind: string): string {
  const of = (side: NamedTensor['side']) => {
    const names = tensors.filter((one) => one.side === side).map(({ name }) => name);
    const quoted = someOf(names.map((name) => `"${name}"`));
    return names.length === 0 ? [] : [`the ${side}${names.length === 1 ? '' : 's'} ${quoted}`];
  };
  const text = [...of('input'), ...of('output')].join(' and ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)} ${tensors.length === 1 ? 'is' : 'are'} ${kind}`;
}

const measureThere = 'perf -m MODEL --model-repository FOLDER (or -u HOST:PORT)';

/** Command that cuts these tensors from the file; null where nothing would be left. */
function cutCommand(all: readonly NamedTensor[], file: OnnxFile | null): string | null {
  if (file === null) return null;
  const { path, zipMaps } = file;
  if (all.some(({ side, what }) => side === 'input' && what !== null)) return null;
  const inputs = all.filter(({ side }) => side === 'input').map(({ name }) => name);
  const outputs = all
    .filter(({ side }) => side === 'output')
    .flatMap(({ name, what }) => (what === null ? [name] : (zipMaps.get(name) ?? [])));
  if (outputs.length === 0) return null;
  const target = path.replace(/(\.onnx)?$/i, '-tensors.onnx');
  const given = [path, target, inputs, outputs].map((value) => JSON.stringify(value)).join(', ');
  return `python -c ${shellWord(`import onnx.utils; onnx.utils.extract_model(${given})`)}`;
}

/** Of SavedModels: those of ONNX files are sent. */
function textWays(texts: readonly NamedTensor[]): string[] {
  const input = texts.find(({ side }) => side === 'input');
  const data =
    input === undefined
      ? measureThere
      : `${measureThere} --input-data texts.json, with {"data": [{"${input.name}": ["some text"]}]}`;
  const there = `Measure it as it is, from a model repository or on a Triton that serves it: ${data}.`;
  return [
    there,
    input === undefined
      ? 'Or return numbers and map them to labels outside the model: train the classifier with numbers as classes.'
      : 'Or save the model with a signature behind its tokenizer or vectorizer, so that its inputs are numbers: tf.saved_model.save(model, folder, signatures={"serving_default": function}).',
  ];
}

function listWays(lists: readonly NamedTensor[], file: OnnxFile | null, cut: string | null): string[] {
  if (!lists.some(({ name }) => file?.zipMaps.has(name) === true)) {
    return [
      cut === null
        ? 'Export the model with tensors as inputs and outputs.'
        : `Export the model with tensors as outputs, or remove the others from the file: ${cut}`,
    ];
  }
  return [
    'Convert the classifier without ZipMap, so that its probabilities are a tensor: skl2onnx.to_onnx(model, X[:1], options={"zipmap": False}), or onnxmltools.convert_lightgbm(model, initial_types=…, zipmap=False).',
    ...(cut === null ? [] : [`Or remove it from the file: ${cut}`]),
  ];
}

/** Explains tensors that cannot be sent and compared; null without any. */
export function unsendableText(
  tensors: readonly NamedTensor[],
  file: OnnxFile | null,
): { readonly message: string; readonly remedy: string } | null {
  const refused = tensors.filter(({ what }) => what !== null);
  if (refused.length === 0) return null;
  const cut = cutCommand(tensors, file);
  const texts = refused.filter(isText);
  const lists = refused.filter(({ what }) => what === 'sequence' || what === 'map');
  const others = refused.filter((one) => !texts.includes(one) && !lists.includes(one));
  const messages = [
    ...(texts.length === 0 ? [] : [`${sentence(texts, words.text)}, which a SavedModel cannot have here`]),
    ...lists.map((one) => {
      const kind =
        file?.zipMaps.has(one.name) === true
          ? 'a list of maps (ZipMap of scikit-learn)'
          : words[one.what ?? 'unknown'];
      return `${sentence([one], kind)} and not a tensor, so that Triton cannot serve it`;
    }),
    ...others.map(
      (one) => `${sentence([one], words[one.what ?? 'unknown'])}, which cannot be sent and compared here`,
    ),
  ];
  const ways = [
    ...(lists.length === 0 ? [] : listWays(lists, file, cut)),
    ...(texts.length === 0 ? [] : textWays(texts)),
    ...(others.length === 0 ? [] : ['Export the model with FP32, FP16 or integer inputs and outputs.']),
  ];
  return { message: messages.join('; '), remedy: ways.join(' ') };
}
