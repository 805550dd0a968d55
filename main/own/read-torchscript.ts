import { WorkbenchError } from '../contract/errors';
import { fileLimits } from '../contract/reader-limits';
import {
  type FileWindow,
  LargeDirectory,
  openModelFile,
  readZipDirectory,
  readZipEntry,
  type ZipEntry,
} from '../platform/zip-directory';
import { recognizedRefusal } from './recognize-file';

const exportRemedy =
  'Export TorchScript: torch.jit.script(model).save("model.pt") or torch.jit.trace(model, example).save("model.pt").';

const refused = (path: string, message: string, remedy: string = exportRemedy): WorkbenchError =>
  new WorkbenchError('model-file-invalid', message, { where: path, remedy });

const { parameters: mostParameters } = fileLimits.torchscript;
/** Quoted texts of a file are cut at this length. */
const quotedLetters = 80;

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
}

/** "x: Tensor=None". */
function parameterOf(part: string): Parameter[] {
  const colon = part.indexOf(':');
  const name = part.slice(0, Math.max(0, colon)).trim();
  if (!/^\w+$/.test(name)) return [];
  const equals = part.indexOf('=', colon);
  const type = part.slice(colon + 1, equals < 0 ? part.length : equals).trim();
  return type === '' ? [] : [{ name, type, optional: equals >= 0 }];
}

/** "self: __torch__.M, x: Tensor" -> all but the first. Linear, as the text is foreign. Throws an Error for too many. */
function parametersOf(text: string): Parameter[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length && parts.length <= mostParameters; at += 1) {
    const letter = text[at];
    if (letter === '[' || letter === '(') depth += 1;
    else if (letter === ']' || letter === ')') depth -= 1;
    else if (letter === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  if (parts.length - 1 > mostParameters)
    throw new Error(`forward has more than ${mostParameters} parameters`);
  return parts.slice(1).flatMap(parameterOf);
}

/** Parameters of "forward" as text; null where the class has none. */
function forwardText(body: string): string | null {
  const opening = '\n  def forward(';
  const start = body.indexOf(opening);
  if (start < 0) return null;
  const rest = body.slice(start + opening.length);
  const end = rest.search(/\)\s*->/);
  return end < 0 ? null : rest.slice(0, end);
}

/** Class of the root object: the first global named by its pickle, which is not unpickled. */
function rootClass(pickle: Buffer): string | null {
  const match = /c(__torch__[\w.]*)\n(\w+)\n/.exec(
    pickle.toString('latin1', 0, Math.min(pickle.length, 4096)),
  );
  return match === null ? null : `${match[1] ?? ''}.${match[2] ?? ''}`;
}

function forwardOf(path: string, file: FileWindow, entries: readonly ZipEntry[], prefix: string): string[] {
  const content = (name: string) => {
    const entry = entries.find((candidate) => candidate.name === `${prefix}${name}`);
    return entry === undefined ? null : readZipEntry(file, entry);
  };
  const pickle = content('data.pkl');
  const root = pickle === null ? null : rootClass(pickle);
  if (root === null) throw refused(path, 'The archive does not say which module it holds');
  const at = root.lastIndexOf('.');
  const code = content(`code/${root.slice(0, at).replaceAll('.', '/')}.py`)?.toString('utf8') ?? '';
  const name = root.slice(at + 1);
  const start = code.search(new RegExp(`^class ${name}\\(Module\\):`, 'm'));
  const body = start < 0 ? '' : code.slice(start).replace(/(\n)class [\s\S]*$/, '$1');
  const forward = forwardText(body);
  if (forward === null) throw refused(path, `The module ${name} has no function "forward"`);
  const parameters = parametersOf(forward);
  const other = parameters.find(({ type, optional }) => type !== 'Tensor' && !optional);
  if (other !== undefined) {
    throw refused(
      path,
      `forward takes "${other.name.slice(0, quotedLetters)}" of type ${other.type.slice(0, quotedLetters)}; Triton sends only tensors`,
      'Wrap the module in one whose forward takes only tensors, and export that.',
    );
  }
  const names = parameters
    .filter(({ type, optional }) => type === 'Tensor' && !optional)
    .map((item) => item.name);
  if (names.length === 0) throw refused(path, 'forward takes no tensor, so that there is no input to send');
  return names;
}

/** From the text of its code; nothing is loaded. Throws model-file-invalid, also for pickles and state dictionaries. */
export function readTorchscript(path: string): readonly string[] {
  const file = openModelFile(path);
  try {
    let entries: readonly ZipEntry[];
    try {
      entries = readZipDirectory(file);
    } catch (error) {
      if (error instanceof LargeDirectory) {
        throw refused(
          path,
          `The archive is not read: it has ${error.message}`,
          'Save the model again by torch.jit.',
        );
      }
      const kind = recognizedRefusal(path, 'torchSave');
      if (kind !== null && !kind.message.includes('Python pickle')) throw kind;
      throw refused(
        path,
        'Not a TorchScript file but a plain pickle or another kind of file. It is not opened, because unpickling can run any code',
      );
    }
    const constants = entries.find(({ name }) => /^[^/]*\/?constants\.pkl$/.test(name));
    const prefix = constants?.name.slice(0, -'constants.pkl'.length);
    if (prefix === undefined || !entries.some(({ name }) => name.startsWith(`${prefix}code/`))) {
      const kind = recognizedRefusal(path, 'torchSave');
      if (kind !== null) throw kind;
      throw refused(
        path,
        'This file was written by torch.save and holds weights or a pickled module, not TorchScript; it is not unpickled',
        `${exportRemedy} Weights of a model of your own go with a model folder: init DIR, then --checkpoint.`,
      );
    }
    try {
      return forwardOf(path, file, entries, prefix);
    } catch (error) {
      if (error instanceof WorkbenchError) throw error;
      throw refused(
        path,
        `The archive is damaged: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  } finally {
    file.close();
  }
}
