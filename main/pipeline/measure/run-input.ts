import { join } from 'node:path';
import { type InputData, inputDataSchema } from '../../contract/measured/input-data';
import { fileLimits } from '../../contract/reader-limits';
import type { Scenario } from '../../contract/run/run-events';
import { repositoryOf } from '../../contract/run/run-spec';
import { ofScenario } from '../../contract/run/sweep';
import { servedMaxBatchSize } from '../../formats/model-config-of';
import type { MeasureInput } from '../../perf/load-tool';
import { keepReplay, replayFileIn } from '../../perf/replay/arrivals';
import { makeFolder } from '../../platform/files';
import { readPlainText } from '../../platform/plain-entry';
import { isServedBatched } from '../repository-run';
import type { RunContext, StepContext } from '../step';
import { servedShape } from '../sweep-commands';

function asServed(data: InputData, batched: boolean): InputData {
  if (batched) return data;
  const withAxis = (tensor: InputData['tensors'][number]) => ({
    ...tensor,
    shape: servedShape(tensor.shape, batched),
    ...(tensor.shapes === undefined
      ? {}
      : { shapes: tensor.shapes.map((shape) => servedShape(shape, batched)) }),
  });
  const { tensors, expected } = data;
  return {
    ...data,
    tensors: tensors.map(withAxis),
    ...(expected === undefined ? {} : { expected: expected.map(withAxis) }),
  };
}

/** Load data from the step that prepares it. */
export async function readInput(
  folder: RunContext['folder'],
  batched: boolean,
): Promise<Pick<MeasureInput, 'inputData' | 'inputDataDir'>> {
  const inputDataDir = folder.step('profile-data');
  const manifest = await readPlainText(join(inputDataDir, 'input-data.json'), fileLimits.stepJson.bytes);
  return { inputDataDir, inputData: asServed(inputDataSchema.parse(JSON.parse(manifest)), batched) };
}

/** A repository's values are made for its served configuration, which Triton may have completed. */
export async function inputAsServed(
  context: StepContext,
): Promise<Pick<MeasureInput, 'inputData' | 'inputDataDir' | 'batched'>> {
  const { folder, spec } = context.run;
  if (repositoryOf(spec.model) !== null) {
    return { ...(await readInput(folder, true)), batched: await isServedBatched(context) };
  }
  const batched = servedMaxBatchSize(spec.configure) > 0;
  return { ...(await readInput(folder, batched)), batched };
}

/** What is kept of the trace that the scenario's load replays, beside its log. */
export async function replayFileOf(
  { run, spec }: StepContext,
  scenario: Scenario,
): Promise<Pick<MeasureInput, 'replayFile'>> {
  const { replay } = ofScenario(spec.performance, scenario);
  if (replay === undefined) return {};
  const replayFile = replayFileIn(run.folder.step(scenario));
  await makeFolder(run.folder.step(scenario));
  const part = { ...replay, models: [spec.configure.modelName] };
  await keepReplay(run.services.readers, part, replayFile);
  return { replayFile };
}
