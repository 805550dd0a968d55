import { dirname, resolve } from 'node:path';
import { emptyReach, type Reach, type Reached, reachOf } from '../contract/reach';
import type { OpenModelInput } from '../contract/run/own-model';
import type { KnownParameters } from '../contract/run/run-source';
import type { RunSpec } from '../contract/run/run-spec';
import { getAt, isTree, mergeTrees } from '../contract/trees';
import type { Approvals, GivenConsent } from '../store/approvals';

const isNamedIn =
  (typed: readonly Reached[]) =>
  ({ field, value }: Reached): boolean =>
    typed.some((one) => one.field === field && one.value === value);

/** The name of a machine is read by its engine, which is typed only where it is not the usual one. */
function typedReach(typed: GivenConsent['typed'], spec: unknown): Reach {
  if (!isTree(typed)) return emptyReach;
  const [kind, said] = [spec, typed].map((tree) => getAt(tree, ['engine', 'kind']));
  if (kind === undefined || said !== undefined) return reachOf(typed);
  const { machines, ...reach } = reachOf(mergeTrees(typed, { engine: { kind } }));
  // The engine itself was not typed.
  return { ...reach, machines: machines.filter(({ field }) => field !== 'engine.kind') };
}

/**
 * Records consent to what was typed, to files beside the given file, with `trust` to everything the specification
 * reaches, and to other machines only with `allowRemoteLoad`.
 */
export async function approveGiven(
  {
    approvals,
    trustModel,
  }: {
    readonly approvals: Pick<Approvals, 'give' | 'add'>;
    readonly trustModel: (model: OpenModelInput) => Promise<unknown>;
  },
  spec: KnownParameters | Pick<RunSpec, 'engine'>,
  { trust = false, allowRemoteLoad = false, typed: said, file }: GivenConsent,
): Promise<void> {
  if (file !== undefined && file !== '-') approvals.give(dirname(resolve(file)));
  const reach = reachOf(spec);
  const typed = typedReach(said, spec);
  await approvals.add({
    paths: reach.paths.filter((reached) => trust || isNamedIn(typed.paths)(reached)),
    images: reach.images.filter((reached) => trust || isNamedIn(typed.images)(reached)),
    hosts: allowRemoteLoad ? reach.hosts : [],
    machines: reach.machines.filter((reached) => trust || isNamedIn(typed.machines)(reached)),
  });
  const source = spec !== null && 'model' in spec ? spec.model.source : undefined;
  if (trust && source !== undefined && !['onnx', 'huggingface', 'trees'].includes(source.kind))
    await trustModel({ path: source.path, with: source.repository?.with ?? [] });
}
