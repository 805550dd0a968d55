import { invalidInput } from '../../contract/errors';
import type { MatrixFile } from '../../contract/run/spec-tools';
import type { StudySpec, StudyTrial } from '../../contract/study/study';
import { mergeTrees } from '../../contract/trees';

/** For a file without a name. */
export function studyNameOf(fileName: string): string {
  const stem = fileName.replace(/\.(ya?ml|json)$/i, '');
  const name = stem.replace(/[^\w.-]+/g, '-').replace(/^[^\w]+|-+$/g, '');
  return name === '' ? 'matrix' : name.slice(0, 40);
}

/** Paths of the user's models that the file names in place of presets, once each. */
export function modelPathsOf(
  { entries }: Pick<MatrixFile, 'entries'>,
  presets: readonly { readonly id: string }[],
): readonly string[] {
  const known = new Set(presets.map(({ id }) => id));
  // The id of a preset has neither.
  const isPath = (name: string): boolean => !known.has(name) && /[./]/.test(name);
  return [...new Set(entries.flatMap(({ preset }) => (preset !== null && isPath(preset) ? preset : [])))];
}

/** Throws input-invalid where no preset is named or given. */
export function studySpecOf(file: MatrixFile, fileName: string, given: string | null): StudySpec {
  const trials = file.entries.map(({ preset: own, overrides, axes, refusal }): StudyTrial => {
    const preset = own ?? given;
    if (preset === null) {
      const remedy = 'Write "preset: <id>" into the file, or choose a preset for it.';
      throw invalidInput(fileName, 'The file does not name a preset', remedy);
    }
    const choice = { preset, overrides: { ...mergeTrees(overrides, { model: { preset } }) } };
    return { choice, axes: [...axes], refusal };
  });
  return {
    name: file.name ?? studyNameOf(fileName),
    strategy: { kind: 'matrix', trials },
    hosts: file.hosts === null ? null : [...file.hosts],
  };
}
