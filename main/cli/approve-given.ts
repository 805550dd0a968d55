import { dirname, resolve } from 'node:path';
import type { Reach, Reached } from '../contract/reach';
import { reachOf } from '../contract/reach';
import type { RunSpec } from '../contract/run-spec';
import type { Core } from '../core';

/** What a person says on the command line about files, images, code and machines. */
export interface ApproveOptions {
  readonly trust?: boolean;
  readonly allowRemoteLoad?: boolean;
}

/** A specification of which nothing was typed here: of a file, or of a run from elsewhere. */
const nothingTyped: Reach = { paths: [], images: [], hosts: [] };

const isNamedIn =
  (typed: readonly Reached[]) =>
  ({ field, value }: Reached): boolean =>
    typed.some((one) => one.field === field && one.value === value);

/**
 * Keeps what the person who typed the command agreed to: what it names itself, files beside the one of `--spec`, all
 * that a specification reaches with `--trust`, and other machines with `--allow-remote-load` only.
 * @param input.typed the part of the specification that the command itself says; absent: none of it
 * @param input.specFile of `--spec`; "-" has no folder
 */
export async function approveGiven(
  core: Pick<Core, 'approvals' | 'handlers'>,
  spec: RunSpec,
  options: ApproveOptions,
  input: { readonly typed?: unknown; readonly specFile?: string | undefined } = {},
): Promise<void> {
  const { specFile } = input;
  if (specFile !== undefined && specFile !== '-') core.approvals.give(dirname(resolve(specFile)));
  const reach = reachOf(spec);
  const typed = input.typed === undefined ? nothingTyped : reachOf(input.typed);
  const trusted = options.trust === true;
  await core.approvals.add({
    paths: reach.paths.filter((reached) => trusted || isNamedIn(typed.paths)(reached)),
    images: reach.images.filter((reached) => trusted || isNamedIn(typed.images)(reached)),
    hosts: options.allowRemoteLoad === true ? reach.hosts : [],
  });
  const { source } = spec.model;
  if (trusted && source !== undefined && source.kind !== 'onnx') {
    await core.handlers['models.trust']({ path: source.path, shapes: {}, datatypes: {} });
  }
}
