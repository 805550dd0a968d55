import {
  type Generation,
  isStreamed,
  isText,
  protocolOfEndpoint,
  sendsPrompts,
  usualPrompts,
} from '../../contract/load/generation';
import { fileLimits } from '../../contract/reader-limits';
import type { PerformanceSpec } from '../../contract/run/run-spec';
import { toolsOf } from '../../contract/run/sweep';
import { getAt, setAt, type Tree } from '../../contract/trees';
import { allOf, type Found, problem, type RuleFinding, unsupported } from './rule-finding';

const field = (name: string) => `performance.generation.${name}`;

interface AskedModel {
  readonly performance: PerformanceSpec;
  readonly isServer: boolean;
}

/** By what and over which protocol. */
function measuredBy({ performance, isServer }: AskedModel, { endpoint }: Generation): RuleFinding[] {
  const { protocol } = performance;
  const needed = protocolOfEndpoint(endpoint);
  return allOf(
    !isServer &&
      unsupported(
        field('endpoint'),
        'Tokens are measured on a running server',
        'Leave the endpoint out, and measure the served model with triton-workbench perf.',
      ),
    toolsOf(performance).includes('perf_analyzer') &&
      unsupported(
        field('endpoint'),
        'Only the built-in load generator measures tokens',
        'Choose the load tool "native" without a cross-check.',
      ),
    protocol !== needed &&
      unsupported(
        'performance.protocol',
        `The endpoint "${endpoint}" needs the protocol "${needed}"`,
        'Leave the protocol out.',
      ),
  );
}

/** Of text in place of tensors. */
function ofText({ sequences, sharedMemory }: PerformanceSpec, generation: Generation): RuleFinding[] {
  const { endpoint } = generation;
  if (!isText(endpoint)) return [];
  return allOf(
    !sendsPrompts(generation) &&
      problem(
        field('promptsFile'),
        `The endpoint "${endpoint}" needs prompts`,
        'Name a file of JSON lines such as {"text": "What is Triton?"}, or a tokenizer and the number of input tokens.',
      ),
    sequences !== undefined &&
      unsupported(field('endpoint'), 'Prompts do not support sequences', 'Leave the sequences out.'),
    sharedMemory !== 'none' &&
      unsupported('performance.sharedMemory', 'Prompts do not support tensors', 'Choose "none".'),
  );
}

const { tokens: mostTokens } = fileLimits.madePrompts;

/** Made in place of those of a file. */
function madePrompts({
  promptsFile,
  tokenizerFile,
  inputTokens,
  inputTokensStddev = 0,
  promptCount = usualPrompts,
  prefixTokens = 0,
  prefixCount = 1,
}: Generation): RuleFinding[] {
  if (inputTokens === undefined) return [];
  const tokens = promptCount * (inputTokens + prefixTokens) + prefixCount * prefixTokens;
  return allOf(
    tokenizerFile === undefined &&
      problem(
        field('tokenizerFile'),
        'Generated prompts need a tokenizer',
        'Name the tokenizer.json of the model.',
      ),
    promptsFile !== undefined &&
      problem(
        field('promptsFile'),
        'Prompts come either from a file or from a generator, not both',
        'Leave the file out, or the number of input tokens.',
      ),
    inputTokensStddev > inputTokens &&
      problem(
        field('inputTokensStddev'),
        'The standard deviation of the input tokens exceeds their mean',
        'Choose a smaller one: prompts have at least one token.',
      ),
    prefixCount > promptCount &&
      problem(
        field('prefixCount'),
        `${prefixCount} prefixes are more than the ${promptCount} prompts`,
        'Generate more prompts, or fewer prefixes.',
      ),
    tokens > mostTokens &&
      problem(
        field('promptCount'),
        `${tokens.toLocaleString('en-US')} tokens exceed the limit of ${mostTokens.toLocaleString('en-US')}`,
        'Generate fewer or shorter prompts.',
      ),
  );
}

function budgets({ endpoint, ttftBudgetMs, itlBudgetMs }: Generation): Found {
  if (isStreamed(endpoint) || (ttftBudgetMs ?? itlBudgetMs) === undefined) return null;
  return problem(
    field(ttftBudgetMs === undefined ? 'itlBudgetMs' : 'ttftBudgetMs'),
    `The endpoint "${endpoint}" returns a single response, so tokens cannot be timed`,
    'Choose the endpoint "generate-stream", or leave the budget out.',
  );
}

/** What a load that measures tokens cannot be combined with. */
export function generationFindings(load: AskedModel): RuleFinding[] {
  const { generation, batchSizes, onlineBatchSize } = load.performance;
  if (generation === undefined) return [];
  return allOf(
    measuredBy(load, generation),
    ofText(load.performance, generation),
    madePrompts(generation),
    [...batchSizes, onlineBatchSize].some((size) => size > 1) &&
      unsupported(
        'performance.batchSizes',
        'A request to a language model has one prompt',
        'Use batch size 1: the server makes batches of several requests.',
      ),
    budgets(generation),
  );
}

/** Adds to a partial specification what its endpoint implies: the protocol, and of gRPC the stream. */
export function withEndpoint(tree: Tree, given: Tree): Tree {
  const endpoint = getAt(tree, ['performance', 'generation', 'endpoint']);
  if (typeof endpoint !== 'string') return tree;
  const protocol = endpoint === 'grpc-stream' ? 'grpc' : 'http';
  const path = ['performance', 'protocol'];
  const spoken = getAt(given, path) === undefined ? setAt(tree, path, protocol) : tree;
  return protocol === 'grpc' ? setAt(spoken, ['performance', 'streaming'], true) : spoken;
}
