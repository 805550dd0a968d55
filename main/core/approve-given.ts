import { dirname, resolve } from 'node:path';
import { emptyReach, type Reached, reachOf } from '../contract/reach';
import type { OpenModelInput } from '../contract/run/own-model';
import type { KnownParameters } from '../contract/run/run-source';
import type { RunSpec } from '../contract/run/run-spec';
import type { Approvals, GivenConsent } from '../store/approvals';

const isNamedIn =
  (typed: readonly Reached[]) =>
  ({ field, value }: Reached): boolean =>
    typed.some((one) => one.field === field && one.value === value);

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
  const typed = said === undefined ? emptyReach : reachOf(said);
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
