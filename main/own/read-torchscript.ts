import { WorkbenchError } from '../contract/errors';
import { FileWindow } from './file-window';
import type { ZipEntry } from './zip-directory';
import { readZipDirectory, readZipEntry } from './zip-directory';

const exportRemedy =
  'Export TorchScript: torch.jit.script(model).save("model.pt") or torch.jit.trace(model, example).save("model.pt").';

const refused = (path: string, message: string, remedy: string = exportRemedy): WorkbenchError =>
  new WorkbenchError('model-file-invalid', message, { where: path, remedy });

/** Parameters of a function's text: "self: __torch__.M, x: Tensor" -> name and type of each but the first. */
function parametersOf(text: string): { name: string; type: string; optional: boolean }[] {
  const parts: string[] = [''];
  let depth = 0;
  for (const letter of text) {
    if ('[('.includes(letter)) depth += 1;
    if ('])'.includes(letter)) depth -= 1;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] = `${parts.at(-1) ?? ''}${letter}`;
  }
  return parts.slice(1).flatMap((part) => {
    const match = /^\s*(\w+)\s*:\s*([^=]+?)\s*(=.*)?$/s.exec(part);
    return match === null
      ? []
      : [{ name: match[1] ?? '', type: match[2] ?? '', optional: match[3] !== undefined }];
  });
}

/** The class of the archive's root object: the first global that its pickle names; nothing is unpickled. */
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
  const forward = /\n {2}def forward\(([\s\S]*?)\)\s*->/.exec(body);
  if (forward === null) throw refused(path, `The module ${name} has no function "forward"`);
  const parameters = parametersOf(forward[1] ?? '');
  const other = parameters.find(({ type, optional }) => type !== 'Tensor' && !optional);
  if (other !== undefined) {
    throw refused(
      path,
      `forward takes "${other.name}" of type ${other.type}; Triton sends tensors alone`,
      'Wrap the module in one whose forward takes tensors alone, and export that.',
    );
  }
  const names = parameters
    .filter(({ type, optional }) => type === 'Tensor' && !optional)
    .map((item) => item.name);
  if (names.length === 0) throw refused(path, 'forward takes no tensor, so that there is no input to send');
  return names;
}

/**
 * Names of a TorchScript file's inputs, from the text of its code; nothing is loaded, unpickled or executed.
 * Throws model-file-invalid, also for pickles and state dictionaries.
 */
export function readTorchscript(path: string): readonly string[] {
  const file = new FileWindow(path);
  try {
    let entries: readonly ZipEntry[];
    try {
      entries = readZipDirectory(file);
    } catch {
      throw refused(
        path,
        'This is no TorchScript file but a plain pickle or another kind of file; it is not opened, since unpickling runs whatever it says',
      );
    }
    const constants = entries.find(({ name }) => /^[^/]*\/?constants\.pkl$/.test(name));
    const prefix = constants?.name.slice(0, -'constants.pkl'.length);
    if (prefix === undefined || !entries.some(({ name }) => name.startsWith(`${prefix}code/`))) {
      throw refused(
        path,
        'This file was written by torch.save and holds weights or a pickled module, no TorchScript; it is not unpickled',
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
