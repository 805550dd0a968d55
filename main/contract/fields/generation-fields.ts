import type { FieldRow, ValueAt } from './field';

const endpointAt = (at: ValueAt) => at('performance.generation.endpoint');

const withEndpoint = {
  text: 'an endpoint of a language model',
  isNeeded: true,
  holds: (at: ValueAt) => endpointAt(at) !== undefined,
};
const withStream = {
  text: 'an endpoint that streams',
  isNeeded: true,
  holds: (at: ValueAt) => ![undefined, 'generate'].includes(endpointAt(at) as string | undefined),
};

/** How a language model on a running server is measured. */
export const generationFields: readonly FieldRow[] = [
  {
    path: 'performance.generation.endpoint',
    group: 'generation',
    serverOnly: true,
    label: 'Endpoint',
    term: 'endpoint-type',
    help: 'How a language model is asked; its tokens are then measured. Triton’s gRPC stream or generate extension, or OpenAI’s chat and completions.',
    choices: {
      'grpc-stream': 'gRPC stream',
      'generate-stream': 'generate_stream',
      generate: 'generate',
      chat: 'OpenAI chat',
      completions: 'OpenAI completions',
    },
    option: '--endpoint <name>',
    aliases: ['--endpoint-type'],
    decides: 'level',
  },
  {
    path: 'performance.generation.promptsFile',
    group: 'generation',
    serverOnly: true,
    label: 'Prompts',
    term: 'prompts',
    help: 'JSON lines, one prompt each: {"text": …}, "text_input", "prompt" or "messages", the forms of GenAI-Perf and AIPerf.',
    pathKind: 'file',
    absent: 'none',
    option: '--prompts <file>',
    aliases: ['--input-file'],
    decides: 'step',
    onlyWith: withEndpoint,
  },
  {
    path: 'performance.generation.outputTokens',
    group: 'generation',
    serverOnly: true,
    label: 'Output tokens',
    term: 'output-tokens',
    help: 'Length of every output: sends max_tokens, ignore_eos and temperature 0.',
    absent: 'as the server ends it',
    option: '--output-tokens <n>',
    aliases: ['--output-tokens-mean', '--osl'],
    decides: 'level',
    onlyWith: withEndpoint,
  },
  {
    path: 'performance.generation.ttftBudgetMs',
    group: 'generation',
    serverOnly: true,
    label: 'Time to first token, at most',
    term: 'ttft-budget-ms',
    help: 'A request with a later first token does not count for the goodput.',
    unit: 'ms',
    absent: 'none',
    option: '--ttft-budget-ms <ms>',
    decides: 'level',
    onlyWith: withStream,
  },
  {
    path: 'performance.generation.itlBudgetMs',
    group: 'generation',
    serverOnly: true,
    label: 'Time per output token, at most',
    term: 'itl-budget-ms',
    help: 'A request with a longer mean time between its tokens does not count for the goodput.',
    unit: 'ms',
    absent: 'none',
    option: '--itl-budget-ms <ms>',
    decides: 'level',
    onlyWith: withStream,
  },
];
