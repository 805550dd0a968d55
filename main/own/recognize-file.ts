import { basename } from 'node:path';
import { WorkbenchError } from '../contract/errors';
import { FileWindow } from '../platform/zip-directory';
import { endings, type FileKindId, fileKinds } from './file-kinds';
import { type MessageField, MessageWalk } from './message-walk';

/** At both ends: enough for every signature, and for names of a small archive. */
const endBytes = 64 * 1024;
const mostNames = 200;
const quotedLetters = 80;

interface FileEnds {
  /** One character per byte. */
  readonly head: string;
  readonly tail: string;
  readonly file: FileWindow;
  readonly name: string;
}

type Signature = readonly [FileKindId, RegExp];

/** Hexadecimal bytes and their offset. */
const magic: readonly (readonly [FileKindId, string, number?])[] = [
  ['appleDouble', '00051607'],
  ['gzip', '1f8b'],
  ['bzip2', '425a68'],
  ['xz', 'fd377a585a00'],
  ['zstd', '28b52ffd'],
  ['lz4', '04224d18'],
  ['sevenZip', '377abcaf271c'],
  ['rar', '526172211a07'],
  ['tar', '7573746172', 257],
  ['hdf5', '894844460d0a1a0a'],
  ['tflite', '54464c33', 4],
  ['ort', '4f52544d', 4],
  ['plan', '66747274'],
  ['plan', '70747274'],
  ['safetensors', '0000007b22', 5],
  ['numpy', '934e554d5059'],
  ['mxnet', '1201000000000000'],
  ['picture', '89504e47'],
  ['picture', 'ffd8ff'],
  ['program', '7f454c46'],
  ['program', '4d5a'],
  ['program', 'cffaedfe'],
  // Magic number of torch.save before 1.6.
  ['torchSave', '80028a0a6cfc9c46f9206aa85019'],
  ['torchSave', '80021d8a0a6cfc9c46f9206aa85019'],
];

/** Tried in order on the first bytes. */
const beginnings: readonly Signature[] = [
  ['lfs', /^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\//],
  ['lfs', /^# xet version/],
  ['annex', /^(\/|(\.\.\/)+\.git\/)annex\/objects\//],
  ['dvc', /^(outs:\s|md5: [\da-f]{32}\s)/],
  ['gguf', /^(GGUF|FUGG|ggml|lmgg|tjgg|fmgg|algg)/],
  ['rknn', /^RKNN/],
  ['catboost', /^CBM1/],
  ['trees', /^tree\s+version=v/],
  ['ncnn', /^7767517\s/],
  ['xgboostBinary', /^(binf|bs64)/],
  // UBJSON has a length in place of a quote.
  ['trees', /^\{[\s\S]{0,40}"?learner/],
  ['pdf', /^%PDF-/],
  ['onnxText', /^\s*<\s*ir_version\s*:/],
  ['openvino', /^\s*(<\?xml[^>]*>\s*)?<net[\s/>]/],
  ['pmml', /^\s*(<\?xml[^>]*>\s*)?<PMML[\s>]/],
  ['html', /^\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)?<(!doctype html|html|head|body)[\s>]/i],
  ['message', /^\s*(<\?xml[^>]*>\s*)?<(Error|Code|Message)>/],
  ['tfCheckpoint', /^model_checkpoint_path:/],
];

/** JSON, by distinctive members. */
const documents: readonly Signature[] = [
  ['tfjs', /"(layers-model|graph-model)"|"modelTopology"/],
  ['trees', /"learner"|"gradient_booster"/],
  ['catboostJson', /"oblivious_trees"|"features_info"/],
  ['lightgbmOther', /"tree_info"/],
  ['mxnet', /"arg_nodes"/],
  ['notebook', /"cell_type"|"nbformat"/],
  ['huggingFace', /"model_type"|"architectures"|"tokenizer_class"/],
  ['keras', /"class_name"\s*:\s*"(Functional|Sequential|Model)"/],
  ['message', /^\s*\{\s*"(error|message|detail|code|status)"/i],
];

/** Archives, by file names. */
const archives: readonly Signature[] = [
  ['keras', /(^|\n)model\.weights\.h5(\n|$)/],
  ['pt2', /(^|\n|\/)(archive_format|serialized_exported_program\.json|data\/aotinductor)/],
  ['torchscript', /\/code\/__torch__/],
  ['torchSave', /(^|\n|\/)data\.pkl(\n|$)/],
  ['coreml', /\.mlmodel(\n|$)|\.mlpackage\//],
];

/** Pickles, by module names. */
const modules: readonly Signature[] = [
  ['sklearn', /\bsklearn[._]/],
  ['xgboost', /\bxgboost[._]/],
  ['lightgbm', /\blightgbm[._]/],
  ['catboostPickle', /\b_?catboost\b/],
  ['torchSave', /\btorch(\._utils|\.nn|\n)/],
  ['keras', /\bkeras[._]/],
];

const first = (found: readonly Signature[], text: string): FileKindId | null =>
  found.find(([, pattern]) => pattern.test(text))?.[0] ?? null;

function archiveNames(tail: string): string[] {
  const names: string[] = [];
  for (let at = tail.indexOf('PK\x01\x02'); at >= 0 && names.length < mostNames;) {
    const length = tail.charCodeAt(at + 28) + 256 * tail.charCodeAt(at + 29);
    names.push(tail.slice(at + 46, at + 46 + length));
    at = tail.indexOf('PK\x01\x02', at + 46 + length);
  }
  return names;
}

interface Recognized {
  readonly id: FileKindId;
  readonly detail?: string;
}

/** The last entry of an archive of skops, which may have thousands before it. */
const isSkops = (tail: string): boolean => {
  const nameAt = 46;
  for (let at = tail.indexOf('schema.json'); at >= 0; at = tail.indexOf('schema.json', at + 1)) {
    if (at >= nameAt && tail.startsWith('PK\x01\x02', at - nameAt)) return true;
  }
  return false;
};

function archive({ tail }: FileEnds): Recognized | null {
  const names = archiveNames(tail);
  if (names.length === 0) return null;
  const id = first(archives, names.join('\n'));
  if (id !== null) return { id };
  if (isSkops(tail)) return { id: 'trees' };
  if (names.every((name) => /\.npy$/i.test(name))) return { id: 'numpy' };
  const model = names.find((name) => /\.(onnx|pt|pth|tflite|keras)$|saved_model\.pb$/i.test(name));
  const detail = model ?? names[0] ?? '';
  return { id: 'zip', detail: `holds ${detail.slice(0, quotedLetters)}` };
}

/** First fields of a message; fewer where cut off or invalid. */
function fieldsOf(walk: MessageWalk, start: number, end: number, most: number): MessageField[] {
  const found: MessageField[] = [];
  try {
    for (const field of walk.fields(start, end)) if (found.push(field) >= most) break;
  } catch {
    // Earlier fields may be enough.
  }
  return found;
}

const isNumber = ({ start, end }: MessageField): boolean => start === end;

/** Kind of a message that begins with a version number. */
function versioned(walk: MessageWalk, top: readonly MessageField[]): FileKindId | null {
  const [, two] = top;
  if (two?.number !== 2) return null;
  if (top.some(({ number }) => number >= 200 && number < 4000)) return 'coreml';
  const [inner] = fieldsOf(walk, two.start, two.end, 1);
  return inner?.number === 1 && !isNumber(inner) ? 'savedModel' : null;
}

/** Kind of a message that begins with a node or block. */
function listed(walk: MessageWalk, { start, end }: MessageField): FileKindId | null {
  const [id, parent] = fieldsOf(walk, start, end, 2);
  if (id?.number !== 1 || parent?.number !== 2) return null;
  return isNumber(id) ? 'paddle' : 'frozenGraph';
}

/** A protobuf message by its first fields; null if unknown. */
function message({ file }: FileEnds): FileKindId | null {
  const walk = new MessageWalk(file);
  const top = fieldsOf(walk, 0, file.size, 32);
  const has = (number: number) => top.some((field) => field.number === number && !isNumber(field));
  const [one] = top;
  if (has(7) && has(8)) return 'onnx';
  if (one?.number !== 1 || top.length < 2) return null;
  if (has(100)) return 'caffe';
  return isNumber(one) ? versioned(walk, top) : listed(walk, one);
}

/** Protocol 2 and later by bytes, the first by text. */
const isPickle = (head: string): boolean =>
  (head.codePointAt(0) === 0x80 && (head.codePointAt(1) ?? 0) <= 5) ||
  /^\(?(c[\w.]+\n\w+|[dl]p\d+)\n/.test(head);

/** joblib compresses a pickle with zlib. */
const isPacked = ({ head, name }: FileEnds): boolean =>
  head.startsWith('x') && /\.(joblib|jl|pkl|pickle|z)$/i.test(name);

function pickle(ends: FileEnds): Recognized | null {
  const { head, name } = ends;
  if (isPacked(ends)) return { id: 'joblib' };
  if (!isPickle(head)) return null;
  const id = first(modules, head) ?? (/\.(joblib|jl)$/i.test(name) ? 'joblib' : 'pickle');
  const [, of] = id === 'sklearn' ? (/sklearn[\w.]*[^\w]{1,4}([A-Z]\w{2,60})/.exec(head) ?? []) : [];
  return of === undefined ? { id } : { id, detail: of };
}

/** A server's reply in place of the file, quoted. */
function sentInstead(id: FileKindId, head: string): Recognized {
  const title = /<title>\s*([^<]{1,80})/i.exec(head)?.[1]?.trim();
  const size = /\nsize (\d{1,15})/.exec(head)?.[1];
  if (id === 'html' && title !== undefined) return { id, detail: `"${title}"` };
  if (id === 'lfs' && size !== undefined) {
    return { id, detail: `the file has ${Number(size).toLocaleString('en-US')} bytes` };
  }
  return { id };
}

const isText = (head: string): boolean =>
  Buffer.from(head, 'latin1').every((byte) => byte >= 32 || (byte >= 9 && byte <= 13));

/** A short text of unknown ending: probably a server's reply. */
function shortText({ head, file, name }: FileEnds): Recognized | null {
  if (file.size > 1024 || file.size < 8 || !isText(head) || endingOf(name) !== null) return null;
  return { id: 'message', detail: `"${head.trim().split('\n')[0]?.slice(0, quotedLetters) ?? ''}"` };
}

function bySignature({ head, file }: FileEnds): FileKindId | null {
  const bytes = Buffer.from(head, 'latin1');
  if (file.size > 16 && bytes.every((byte) => byte === 0)) return 'zeros';
  const hex = bytes.toString('hex', 0, 300);
  const found = magic.find(([, bytes, at = 0]) => hex.startsWith(bytes, 2 * at));
  return found?.[0] ?? first(beginnings, head) ?? (/^\s*[[{]/.test(head) ? first(documents, head) : null);
}

function byContent(ends: FileEnds): Recognized | null {
  const id = bySignature(ends);
  if (id !== null) return sentInstead(id, ends.head);
  if (ends.head.startsWith('PK')) {
    return archive(ends) ?? (endingOf(ends.name) === null ? { id: 'cutZip' } : null);
  }
  const pickled = pickle(ends);
  if (pickled !== null) return pickled;
  const sent = message(ends);
  return sent === null ? shortText(ends) : { id: sent };
}

const endingOf = (name: string): FileKindId | null =>
  endings.find(([pattern]) => pattern.test(name))?.[1] ?? null;

function recognized(path: string): Recognized | null {
  const file = new FileWindow(path);
  try {
    const length = Math.min(endBytes, file.size);
    const [head, tail] = [0, file.size - length].map((at) => file.bytes(at, length).toString('latin1'));
    return byContent({ head: head ?? '', tail: tail ?? '', file, name: basename(path) });
  } finally {
    file.close();
  }
}

/** By its content only. */
export const isFileOfKind = (path: string, id: FileKindId): boolean => recognized(path)?.id === id;

/** By first and last bytes, else by ending; null where neither is known. Nothing is unpacked or executed. */
export function recognizedRefusal(path: string, wanted?: FileKindId): WorkbenchError | null {
  const name = basename(path);
  const found = recognized(path);
  const id = found?.id ?? endingOf(name);
  if (id === null || id === wanted) return null;
  const { what, way } = fileKinds[id];
  const detail = found?.detail === undefined ? '' : ` (${found.detail})`;
  const says = found === null ? `is, by its name, ${what}` : `is ${what}${detail}`;
  return new WorkbenchError('model-file-invalid', `${name} ${says}`, { where: path, remedy: way(path) });
}
