import type { RunState } from '../../../main/contract/run/run-state';
import { measuredServer, servedModels } from '../../../main/contract/run/server-load';
import { formatWhen } from '../../format/times';

/** A name per run, different from every other: its own, else model and format; with time and number where they are alike. */
export function runNames(
  states: readonly RunState[],
  titleOf: (preset: string) => string,
): readonly string[] {
  const plain = states.map(({ name, spec, imported, onServer }) => {
    if (name !== null) return name;
    if (imported !== null) return `${spec.model.preset}, imported from ${imported.fileName}`;
    if (onServer !== null) return `${servedModels(onServer)} at ${measuredServer(onServer)}`;
    return `${titleOf(spec.model.preset)} ${spec.format} ${spec.precision} ${spec.model.profile}`;
  });
  const timed = plain.map((name, index) => {
    const alike = plain.filter((other) => other === name).length > 1;
    return alike ? `${name}, ${formatWhen(states[index]?.createdAt ?? '')}` : name;
  });
  return timed.map((name, index) => {
    const before = timed.slice(0, index).filter((other) => other === name).length;
    return timed.filter((other) => other === name).length > 1 ? `${name} (${before + 1})` : name;
  });
}
