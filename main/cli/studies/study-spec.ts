import { invalidInput, WorkbenchError } from '../../contract/errors';
import { readHostNames } from '../../contract/host/host-name';
import type { StudyConsent, StudySpec, StudyTrial } from '../../contract/study/study';
import { present, type Tree } from '../../contract/trees';
import type { Core } from '../../core';
import { createNotes } from '../../domain/study/notes';
import type { RunOptions } from '../read-spec';
import { budgetOf } from '../settings';
import { readChoice } from '../spec-options';
import { askedMatrix } from './asked-matrix';

export interface MatrixFlags {
  /** Comma-separated names, or "all". */
  readonly hosts?: string;
  readonly resume?: boolean;
  readonly out?: string;
  readonly allowRemoteLoad?: boolean;
  readonly skipPreflight?: boolean;
  readonly p99BudgetMs?: number;
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

export type MatrixOptions = RunOptions & MatrixFlags;

/** The option overrides the file. Throws input-invalid. */
function hostsOf(option: string | undefined, ofFile: readonly string[] | null): StudySpec['hosts'] {
  const names = option === undefined ? ofFile : readHostNames([option]);
  if (typeof names !== 'string') return names === null ? null : [...names];
  const remedy = 'Give names of "hosts list" with commas between them, local for this machine, or all.';
  throw new WorkbenchError('input-invalid', names, { where: '--hosts', remedy });
}

/** Reads `--matrix` or `--length-buckets` with the consent options. Throws input-invalid. */
export async function readStudySpec(
  core: Core,
  preset: string | undefined,
  options: MatrixOptions,
): Promise<{
  readonly spec: StudySpec;
  readonly consent: StudyConsent;
  readonly notes: readonly string[];
}> {
  const { skipPreflight, trust, allowRemoteLoad } = options;
  if (options.spec !== undefined || options.configuration !== undefined) {
    const remedy = 'Put the fields of the specification into the matrix file, or name them as options.';
    throw invalidInput('--spec', '--matrix and --spec cannot be used together', remedy);
  }
  const presets = (await core.handlers['presets.list'](undefined)).map(({ id, title }) => ({ id, title }));
  const { text, fileName, name, file } = await askedMatrix(preset, options);
  const read = await core.handlers['matrix.read']({ text, fileName, preset: preset ?? null, presets });
  const notes = createNotes();
  const trials: StudyTrial[] = [];
  const typed: Tree[] = [];
  const noted = new Set<string>();
  for (const [at, entry] of read.entries.entries()) {
    const { typed: said, ...choice } = await readChoice(
      core,
      entry.preset ?? preset,
      options,
      entry.overrides,
      noted,
    );
    typed.push(said);
    trials.push({ choice, axes: [...entry.axes], refusal: entry.refusal });
    if (entry.refusal === null) notes.add(at + 1, entry.notes);
  }
  const p99BudgetMs = await budgetOf(core, options.p99BudgetMs);
  return {
    spec: {
      name: read.name ?? name,
      strategy: { kind: 'matrix', trials },
      hosts: hostsOf(options.hosts, read.hosts),
      ...present({ skipPreflight, p99BudgetMs }),
    },
    consent: { ...present({ trust, allowRemoteLoad, file }), typed, hosts: options.hosts !== undefined },
    notes: notes.lines(),
  };
}
