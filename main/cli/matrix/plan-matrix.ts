import { basename } from 'node:path';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { rowOf } from '../../contract/fields/fields';
import { allHosts, localHost, readHostNames } from '../../contract/host/host-name';
import type { Choice, MatrixEntry } from '../../contract/run/spec-tools';
import { isTree, mergeTrees } from '../../contract/trees';
import type { Core } from '../../core';
import { hashValue } from '../../platform/files';
import { printText } from '../output';
import { readText } from '../read-spec';
import { readChoice } from '../spec-options';
import type { MatrixOptions, PlannedRun } from './matrix-session';

export interface MatrixPlan {
  readonly name: string;
  /** Hosts to spread the runs over; null: each where it says itself. */
  readonly hosts: readonly string[] | null;
  readonly runs: readonly PlannedRun[];
}

/** Of a file without a name in it. */
function nameOf(file: string): string {
  const stem = basename(file).replace(/\.(ya?ml|json)$/i, '');
  const name = stem.replace(/[^\w.-]+/g, '-').replace(/^[^\w]+|-+$/g, '');
  return name === '' ? 'matrix' : name.slice(0, 40);
}

/** What is said of several runs is said once: "Runs 1, 2: …". */
export function createNotes() {
  const runs = new Map<string, number[]>();
  return {
    add: (number: number, notes: readonly string[]): void => {
      for (const note of notes) runs.set(note, [...(runs.get(note) ?? []), number]);
    },
    lines: (): readonly string[] =>
      [...runs].map(
        ([note, numbers]) => `Run${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}: ${note}`,
      ),
  };
}

type Notes = ReturnType<typeof createNotes>;

interface Planning {
  readonly core: Core;
  readonly options: MatrixOptions;
  /** The preset that is given beside the file. */
  readonly given: string | undefined;
  readonly notes: Notes;
  /** See {@link MatrixPlan}. */
  readonly hosts: readonly string[] | null;
}

/** What keeps a choice from being run wherever it is started; its warnings are noted. Throws preset-unknown. */
async function judged(
  { core, notes }: Planning,
  choice: Choice,
  number: number,
): Promise<Pick<PlannedRun, 'spec' | 'leftOut'>> {
  const { spec, problems } = await core.handlers['spec.preview'](choice);
  const against = problems.filter(({ severity }) => severity === 'problem');
  notes.add(
    number,
    problems.filter(({ severity }) => severity === 'warning').map(({ message }) => message),
  );
  if (against.length === 0 && spec !== null) return { spec, leftOut: null };
  const reasons = against.map(({ field, message, remedy }) =>
    [`${field === '' ? '' : `${field}: `}${message}`, remedy].filter((part) => part !== null).join('. '),
  );
  return { spec, leftOut: reasons.join('; ') };
}

/** The same choice twice is measured once. */
function withoutRepeats(runs: readonly PlannedRun[]): readonly PlannedRun[] {
  return runs.map((run, at) => {
    const first = runs.slice(0, at).find(({ entry, leftOut }) => leftOut === null && entry === run.entry);
    if (run.leftOut !== null || first === undefined) return run;
    const differ = run.axes.filter(({ value }, axis) => first.axes[axis]?.value !== value);
    const named = differ.map(({ field, value }) => `${field} ${value}`).join(', ');
    // Of a runner's file a name of weights or data; a field that differs was replaced by an option.
    const isField = differ.every(({ field }) => rowOf(field) !== undefined);
    const why = isField
      ? `an option of the command line takes the place of ${named}`
      : `no field of a run takes ${named}. Write "path: <file or folder>" beside its name in checkpoints and datasets`;
    return { ...run, leftOut: `The same as run ${first.number}: ${why}.` };
  });
}

/** A host does the work of a run in containers: whoever names hosts means that engine. */
function inContainers({ preset, overrides }: Choice): Choice {
  const { engine } = overrides;
  const isSaid = isTree(engine) && engine['kind'] !== undefined;
  return { preset, overrides: isSaid ? overrides : mergeTrees(overrides, { engine: { kind: 'docker' } }) };
}

/** The hosts that the option or else the file names. Throws input-invalid and host-unknown. */
async function hostsOf(
  core: Core,
  option: string | undefined,
  ofFile: readonly string[] | null,
): Promise<readonly string[] | null> {
  const names = option === undefined ? ofFile : readHostNames([option]);
  if (names === null) return null;
  if (typeof names === 'string') {
    const remedy = 'Give names of "hosts list" with commas between them, local for this machine, or all.';
    throw new WorkbenchError('input-invalid', names, { where: '--hosts', remedy });
  }
  const known = (await core.handlers['hosts.list'](undefined)).map(({ name }) => name);
  const isAll = names.includes(allHosts);
  const unknown = names.find(
    (name) => name !== localHost && !(isAll && name === allHosts) && !known.includes(name),
  );
  if (unknown !== undefined || (isAll && known.length === 0)) {
    const [first] = known;
    const remedy =
      first === undefined
        ? 'Add it with "triton-workbench hosts add NAME ssh://user@host".'
        : `Known hosts: ${known.join(', ')}.`;
    const message = unknown === undefined ? 'The list of hosts is empty' : `Unknown host "${unknown}"`;
    throw new WorkbenchError('host-unknown', message, {
      where: option === undefined ? 'hosts' : '--hosts',
      remedy,
    });
  }
  return isAll ? [...known, ...names.filter((name) => name === localHost)] : names;
}

async function plannedRun(
  planning: Planning,
  { preset, overrides, axes, refusal, notes }: MatrixEntry,
  number: number,
): Promise<PlannedRun> {
  const { core, options, given } = planning;
  const { typed, ...read } = await readChoice(core, preset ?? given, options, overrides);
  const choice = planning.hosts === null ? read : inContainers(read);
  const entry = hashValue(choice);
  const shared = { number, axes, choice, typed, entry, state: null, error: null };
  if (refusal !== null) return { ...shared, spec: null, leftOut: refusal };
  planning.notes.add(number, notes);
  return { ...shared, ...(await judged(planning, choice, number)) };
}

/** Reads the file and judges each of its runs; nothing is started. Throws input-invalid, preset-unknown. */
export async function planMatrix(
  core: Core,
  preset: string | undefined,
  options: MatrixOptions,
): Promise<MatrixPlan> {
  const { matrix: file } = options;
  if (options.spec !== undefined || options.configuration !== undefined) {
    const remedy = 'Put the fields of the specification into the matrix file, or name them as options.';
    throw invalidInput('--spec', '--matrix takes the place of --spec', remedy);
  }
  const presets = (await core.handlers['presets.list'](undefined)).map(({ id, title }) => ({ id, title }));
  const fileName = file === '-' ? '' : basename(file);
  const text = await readText(file, '--matrix');
  const read = await core.handlers['matrix.read']({ text, fileName, preset: preset ?? null, presets });
  const { name, entries } = read;
  const hosts = await hostsOf(core, options.hosts, read.hosts);
  const planning: Planning = { core, options, given: preset, notes: createNotes(), hosts };
  const runs: PlannedRun[] = [];
  for (const [at, entry] of entries.entries()) runs.push(await plannedRun(planning, entry, at + 1));
  for (const line of planning.notes.lines()) printText(`${line}\n`, 'stderr');
  return { name: name ?? nameOf(file), hosts, runs: withoutRepeats(runs) };
}
