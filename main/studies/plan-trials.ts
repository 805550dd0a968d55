import { WorkbenchError } from '../contract/errors';
import { rowOf } from '../contract/fields/fields';
import { allHosts, localHost } from '../contract/host/host-name';
import type { Choice } from '../contract/run/spec-tools';
import type { StudySpec, StudyTrial } from '../contract/study/study';
import { isTree, mergeTrees } from '../contract/trees';
import { createNotes } from '../domain/study/notes';
import { hashValue } from '../platform/files';
import type { PlannedTrial, StudyHands } from './study-hands';

/** Hosts imply containers. */
function inContainers({ preset, overrides }: Choice): Choice {
  const { engine } = overrides;
  const isSaid = isTree(engine) && engine['kind'] !== undefined;
  return { preset, overrides: isSaid ? overrides : mergeTrees(overrides, { engine: { kind: 'docker' } }) };
}

/** Problems and warnings of a choice. Throws preset-unknown. */
async function judged({ preview }: Pick<StudyHands, 'preview'>, choice: Choice) {
  const { spec, problems } = await preview(choice);
  const of = (severity: string) => problems.filter((problem) => problem.severity === severity);
  const warnings = of('warning').map(({ message }) => message);
  const reasons = of('problem').map(({ field, message, remedy }) =>
    [`${field === '' ? '' : `${field}: `}${message}`, remedy].filter((part) => part !== null).join('. '),
  );
  const isRunnable = reasons.length === 0 && spec !== null;
  return { spec, leftOut: isRunnable ? null : reasons.join('; ').replaceAll('.; ', '; '), warnings };
}

/** Removes duplicates. */
function withoutRepeats(trials: readonly PlannedTrial[]): readonly PlannedTrial[] {
  return trials.map((trial, at) => {
    const first = trials.slice(0, at).find(({ entry, leftOut }) => leftOut === null && entry === trial.entry);
    if (trial.leftOut !== null || first === undefined) return trial;
    const differ = trial.axes.filter(({ value }, axis) => first.axes[axis]?.value !== value);
    const named = differ.map(({ field, value }) => `${field} ${value}`).join(', ');
    // Names of weights and data in a runner's file have no field; differing fields come from options.
    const isField = differ.every(({ field }) => rowOf(field) !== undefined);
    const why = isField
      ? `an option of the command line overrides ${named}`
      : `no field of a run takes ${named}. Write "path: <file or folder>" beside its name in checkpoints and datasets`;
    return { ...trial, leftOut: `The same as run ${first.number}: ${why}.` };
  });
}

/** Hosts that trials name, as by an axis. */
function hostsNamedBy(trials: readonly StudyTrial[]): readonly string[] {
  const named = trials.flatMap(({ choice: { overrides } }) => {
    const { engine } = overrides;
    return isTree(engine) && typeof engine['host'] === 'string' ? engine['host'] : [];
  });
  return [...new Set(named)];
}

/** Throws host-unknown, also for a host of a trial. */
export async function hostsOf(
  { hostNames }: Pick<StudyHands, 'hostNames'>,
  { hosts, strategy }: Pick<StudySpec, 'hosts' | 'strategy'>,
  given: string,
): Promise<readonly string[] | null> {
  const ofTrials = strategy.kind === 'matrix' ? hostsNamedBy(strategy.trials) : [];
  if (hosts === null && ofTrials.length === 0) return null;
  const [names, where] = hosts === null ? [ofTrials, 'host'] : [[...hosts, ...ofTrials], given];
  const known = await hostNames();
  const isAll = hosts?.includes(allHosts) === true;
  const unknown = names.find(
    (name) => name !== localHost && !(isAll && name === allHosts) && !known.includes(name),
  );
  if (unknown !== undefined || (isAll && known.length === 0)) {
    const remedy =
      known.length === 0
        ? 'Add it with "triton-workbench hosts add NAME ssh://user@host".'
        : `Known hosts: ${known.join(', ')}.`;
    const message = unknown === undefined ? 'The list of hosts is empty' : `Unknown host "${unknown}"`;
    throw new WorkbenchError('host-unknown', message, { where, remedy });
  }
  if (hosts === null) return null;
  return isAll ? [...known, ...hosts.filter((name) => name === localHost)] : hosts;
}

/** Starts nothing. Throws preset-unknown. @param first number of the first one */
export async function planTrials(
  hands: Pick<StudyHands, 'preview'>,
  trials: readonly StudyTrial[],
  { first, isSpread }: { readonly first: number; readonly isSpread: boolean },
): Promise<{ readonly trials: readonly PlannedTrial[]; readonly notes: readonly string[] }> {
  const notes = createNotes();
  const planned: PlannedTrial[] = [];
  for (const [at, { choice: given, axes, refusal }] of trials.entries()) {
    const number = first + at;
    const choice = isSpread ? inContainers(given) : given;
    const shared = { number, axes, choice, entry: hashValue(choice), state: null, error: null };
    if (refusal !== null) {
      planned.push({ ...shared, spec: null, leftOut: refusal });
      continue;
    }
    const { warnings, ...judgement } = await judged(hands, choice);
    notes.add(number, warnings);
    planned.push({ ...shared, ...judgement });
  }
  return { trials: withoutRepeats(planned), notes: notes.lines() };
}
