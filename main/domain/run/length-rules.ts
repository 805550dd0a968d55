import { formatCount } from '../../contract/numbers';
import { scenarios } from '../../contract/run/run-events';
import type { RunSpec } from '../../contract/run/run-spec';
import { ofScenario, scenarioLevels, toolsOf } from '../../contract/run/sweep';
import { largestOf } from '../statistics';
import { lengthsOfDataset, type SampleLengths, specifiedLengths } from './length-distribution';
import { allOf, type Found, problem, unsupported, warning } from './rule-finding';

const field = 'performance.lengthDistribution';

/** Tokens of all texts: their files are written, and kept in memory while they are sent. */
const mostTokens = 2 ** 24;

type Judged = Pick<RunSpec, 'model' | 'performance'>;

/** Longer than the model takes, or than what the accuracy check has seen. */
function tooLong({ model }: Judged, { drawn }: SampleLengths): Found {
  const { most, longest } = model.source?.huggingFace ?? {};
  const found = largestOf(drawn);
  if (most !== undefined && found > most) {
    return problem(
      field,
      `Texts of ${formatCount(found)} tokens are longer than the maximum of the model, ${formatCount(most)}`,
      `Give lengths of up to ${most}: the tokenizer of a caller truncates longer texts to it.`,
    );
  }
  const tokens = drawn.reduce((sum, length) => sum + length, 0);
  if (tokens > mostTokens) {
    return problem(
      field,
      `The texts have ${formatCount(tokens)} tokens, more than the ${formatCount(mostTokens)} that are sent`,
      'Give shorter or fewer lengths.',
    );
  }
  if (longest === undefined || model.dataset !== undefined || found <= longest) return null;
  return warning(
    field,
    `Texts of up to ${formatCount(found)} tokens are measured, but outputs are compared only up to ${formatCount(longest)} tokens`,
    `To compare longer texts, add --shape input_ids=1,${found}.`,
  );
}

/** A request of several samples of different lengths has to be padded, which only the built-in load generator does. */
function paddedByAnalyzer({ performance }: Judged): Found {
  const isPadded = scenarios.some((scenario) => {
    const own = ofScenario(performance, scenario);
    const isLarge = scenarioLevels(own, scenario).some(({ batchSize }) => batchSize > 1);
    return isLarge && toolsOf(own).includes('perf_analyzer');
  });
  return (
    isPadded &&
    unsupported(
      field,
      'perf_analyzer does not pad samples of different lengths to one batch',
      'Choose the built-in load generator (native) without a cross-check, batch size 1, or one length.',
    )
  );
}

/** Findings on the lengths of the texts that a run sends. */
export function lengthFindings(spec: Judged): readonly ReturnType<typeof problem>[] {
  const { model, performance } = spec;
  const { lengthDistribution: value, inputData } = performance;
  if (value === undefined) return [];
  if (model.source?.huggingFace?.longest === undefined) {
    return allOf(
      unsupported(
        field,
        'Lengths apply only to the texts of a Hugging Face folder that is served as tensors',
        'Leave them out. For a model on a Triton that runs, use "perf --length-distribution"; for a pipeline, --texts.',
      ),
    );
  }
  if (inputData !== 'dataset') {
    return allOf(
      unsupported(
        field,
        `Lengths apply only to samples of the data set, not to input values "${inputData}"`,
        'Set the input values to "dataset".',
      ),
    );
  }
  const lengths = specifiedLengths(value);
  if (lengths === lengthsOfDataset) {
    return allOf(
      model.dataset === undefined &&
        problem(
          field,
          'Generated samples do not have the lengths of your texts',
          'Give your samples with --dataset FILE.npz, or state lengths: 32,128,512.',
        ),
      paddedByAnalyzer(spec),
    );
  }
  if ('problem' in lengths)
    return allOf(problem(field, `${value}: ${lengths.problem}`, 'For example 32,128,512.'));
  const isVaried = new Set(lengths.drawn).size > 1;
  return allOf(tooLong(spec, lengths), isVaried && paddedByAnalyzer(spec));
}
