import { dirname, resolve } from 'node:path';
import { bestAnswer, budgetText } from '../contract/measured/verdict';
import { type Reach, type Reached, reachOf } from '../contract/reach';
import type { RunSpec } from '../contract/run/run-spec';
import { stepTitleOf } from '../contract/words';
import type { Core, ExecuteOptions } from '../core';
import { exitCodeOf, exitCodes, type Output, progressOf } from './output';
import { createRunProgress, runDocument } from './run-progress';

/**
 * Works on a run to its end with progress for people, and gives the exit code.
 * The first Ctrl-C cancels (what was measured stays, `resume` goes on); the second ends the process at once.
 */
export async function workOn(
  core: Core,
  runId: string,
  output: Output,
  options: { readonly verbose: boolean } & ExecuteOptions,
): Promise<number> {
  const { verbose, ...how } = options;
  const stopListening = core.subscribe(
    createRunProgress(progressOf(output), { verbose, titleOf: stepTitleOf }),
  );
  const asked = { times: 0 };
  const cancel = () => {
    asked.times += 1;
    if (asked.times > 1) process.exit(exitCodes.cancelled);
    output.say('Cancelling. Press Ctrl-C again to quit immediately.');
    core.cancelRun(runId).catch(() => undefined);
  };
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  try {
    const { dir } = await core.getRun(runId);
    output.say(`Run ${runId}`);
    output.say(`  in ${dir}`);
    const { end } = await core.executeRun(runId, how);
    const { outcome, error } = await end;
    const { state } = await core.getRun(runId);
    for (const report of state.reports) output.say(`  ${report.kind}: ${report.path}`);
    for (const answer of [bestAnswer(state), budgetText(state)]) if (answer !== null) output.say(answer);
    if (outcome !== 'done') output.say(`To continue: triton-workbench resume ${runId}`);
    if (outcome === 'gate-failed') {
      output.say(`To measure unverified: triton-workbench resume ${runId} --allow-unverified`);
    }
    if (output.json) output.document(runDocument(state, dir));
    switch (outcome) {
      case 'done':
        return exitCodes.done;
      case 'gate-failed':
        return exitCodes.gate;
      case 'paused':
        return exitCodes.paused;
      case 'cancelled':
        return exitCodes.cancelled;
      case 'failed':
        return error === null ? exitCodes.failed : exitCodeOf(error);
    }
  } finally {
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
    stopListening();
  }
}

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
