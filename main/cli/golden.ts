import { resolve } from 'node:path';
import { invalidInput, WorkbenchError } from '../contract/errors';
import type { GoldenCheck } from '../contract/golden';
import type { ComparedOutput, OutputRule, OutputRules } from '../contract/measured/output-rules';
import { formatCount, formatMetric, formatScale, missing } from '../contract/numbers';
import { present } from '../contract/trees';
import { metricTitle } from '../contract/words';
import type { Core } from '../core';
import { parseRule, ruleForms, ruleText, usualRule } from '../domain/outputs/rule-text';
import { addTlsOptions, collect, type TlsOptions } from './field-options';
import { exitCodes, formatTable, type Output } from './output';
import { readAddresses } from './perf/perf-addresses';
import { lengthsHelp, readLengths, requireMade } from './read-lengths';
import { readHeaders, readNumber, readShapes, runIdOf } from './read-values';
import type { Verb } from './verb';

interface RuleOptions {
  readonly compare?: readonly string[];
  readonly atol?: readonly string[];
  readonly rtol?: readonly string[];
}

interface ServerOptions extends TlsOptions {
  readonly model?: string;
  readonly modelVersion?: string;
  readonly header?: readonly string[];
}

interface RecordOptions extends RuleOptions, ServerOptions {
  readonly from: string;
  readonly samples?: number;
  readonly inputData?: string;
  readonly lengthDistribution?: string;
  readonly shape?: readonly string[];
  readonly output: string;
  readonly force?: boolean;
}

interface CheckOptions extends RuleOptions, ServerOptions {
  readonly url: string;
}

/** `NAME=1e-3`, or `1e-3` for every output. */
function tolerances(flag: string, texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    texts.map((text) => {
      const [, name = '*', value = ''] = /^(?:([^=]*)=)?([^=]*)$/.exec(text) ?? [];
      const number = readNumber(flag, value);
      if (number < 0 || name === '')
        throw invalidInput(
          flag,
          `"${text}" is not a tolerance`,
          `For example ${flag} 1e-3 or ${flag} OUTPUT=1e-3.`,
        );
      return [name, number];
    }),
  );
}

function ruleOf(text: string): readonly [output: string, rule: OutputRule] {
  const at = text.indexOf('=');
  const colon = text.indexOf(':');
  const name = at === -1 || (colon !== -1 && colon < at) ? '' : text.slice(0, at);
  if (name === '') throw invalidInput('--compare', `"${text}" is not OUTPUT=RULE`, `A rule is ${ruleForms}.`);
  const rule = parseRule(text.slice(at + 1));
  if (typeof rule === 'string')
    throw invalidInput('--compare', `${name}: ${rule}`, `A rule is ${ruleForms}.`);
  return [name, rule];
}

/** What the options say of outputs; `*`: of those without an own rule. Throws input-invalid. */
export function readRules({ compare = [], atol = [], rtol = [] }: RuleOptions): OutputRules {
  const rules = new Map(compare.map(ruleOf));
  const [absolute, relative] = [tolerances('--atol', atol), tolerances('--rtol', rtol)];
  const usual = usualRule('FP32');
  for (const name of new Set([...absolute.keys(), ...relative.keys()])) {
    const before = rules.get(name) ?? usual;
    if (before.by !== 'numbers') {
      throw invalidInput(
        '--atol',
        `${name} is compared by ${before.by}, which has no tolerance`,
        'Leave one of the two out.',
      );
    }
    const given = present({
      atol: absolute.get(name) ?? absolute.get('*'),
      rtol: relative.get(name) ?? relative.get('*'),
    });
    rules.set(name, { ...before, ...given });
  }
  return Object.fromEntries(rules);
}

const addServerOptions = (verb: Verb): Verb =>
  verb
    .option('-m, --model <name>', 'model; default: that of the file, or the only one of the server')
    .option('--model-version <version>', 'version of the model; default: chosen by the server')
    .option('-H, --header <header>', 'header sent with each request, "NAME: VALUE"; repeatable', collect);

function addRuleOptions(verb: Verb): Verb {
  verb
    .option(
      '--compare <rule>',
      `how an output is compared, OUTPUT=RULE; repeatable. A rule is ${ruleForms}`,
      collect,
    )
    .option('--atol <tolerance>', 'absolute tolerance of all numbers, or OUTPUT=VALUE; repeatable', collect)
    .option(
      '--rtol <tolerance>',
      'tolerance relative to the expected value, or OUTPUT=VALUE; repeatable',
      collect,
    );
  addTlsOptions(verb);
  return verb;
}

const serverOf = (url: string, options: ServerOptions) => {
  const { http, httpTls } = readAddresses({ ...options, url, allowRemoteLoad: true });
  return {
    ...{ http, tls: httpTls, headers: readHeaders(options.header ?? []) },
    ...present({ model: options.model, version: options.modelVersion }),
  };
};

/** Throws run-unknown for what is not a run either. */
async function knownRun(core: Core, from: string): Promise<string> {
  const runId = await runIdOf(core, from);
  if (runId !== null) return runId;
  throw new WorkbenchError('run-unknown', `"${from}" is neither a deployment nor a run`, {
    where: '--from',
    remedy:
      'Give the address of a Triton with its port (localhost:8000), or a name of "deployments list" or "runs".',
  });
}

/** A URL, else a deployment, else a run. */
async function sourceOf(core: Core, options: RecordOptions) {
  const { from } = options;
  if (/[:/]/.test(from) || /^\d+$/.test(from)) return { of: serverOf(from, options), from: undefined };
  const deployments = await core.handlers['deployments.list'](undefined);
  const found = deployments.find(({ id }) => id === from);
  if (found === undefined) return { of: { runId: await knownRun(core, from) }, from };
  const { models } = found;
  const model = options.model ?? (models.length === 1 ? models[0]?.name : undefined);
  return {
    of: { ...serverOf(found.httpUrl, options), ...present({ model }) },
    from: `deployment ${from}`,
  };
}

const rows = (outputs: readonly ComparedOutput[], notChecked: readonly string[]) => [
  ...outputs.map(({ output, rule, samples, maxAbsDiff, differing, passed }) => [
    ...[output, rule, formatCount(samples)],
    maxAbsDiff === null ? missing : formatScale(maxAbsDiff),
    passed ? 'agrees' : differing > 0 ? `${formatCount(differing)} differ` : 'differs',
  ]),
  ...notChecked.map((output) => [output, missing, missing, missing, 'not checked']),
];

const figureRows = (figures: NonNullable<GoldenCheck['figures']>) =>
  figures.map(({ name, framework, triton }) => [
    metricTitle({}, name),
    formatMetric(framework),
    formatMetric(triton),
  ]);

function checkLines(check: GoldenCheck, url: string): string[] {
  const { model, samples, outputs, notChecked, labeled = 0, figures = [], passed } = check;
  const reasons = outputs.flatMap(({ reason }) => (reason === null ? [] : [reason]));
  return [
    `${model} at ${url}: ${formatCount(samples)} ${samples === 1 ? 'sample' : 'samples'} ${passed ? 'agree' : 'do not agree'}`,
    '',
    formatTable(['Output', 'Compared', 'Samples', 'Largest difference', 'Result'], rows(outputs, notChecked)),
    ...(figures.length === 0
      ? []
      : [
          '',
          formatTable([`Of ${formatCount(labeled)} labeled`, 'Golden file', 'Triton'], figureRows(figures)),
        ]),
    ...(reasons.length === 0 ? [] : ['', ...reasons]),
  ];
}

/** Ctrl-C ends the work after the request that is under way. */
async function untilInterrupted<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
  const stop = new AbortController();
  const end = () => {
    stop.abort();
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  try {
    return await work(stop.signal);
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
  }
}

const warn = (output: Output, warnings: readonly string[]) => {
  for (const warning of warnings) output.say(`Warning: ${warning}`);
};

function addRecord(golden: Verb): void {
  const record = golden
    .command('record')
    .description('Write inputs and the outputs of a served model, or of a run, into a golden file')
    .requiredOption('--from <source>', 'address of a Triton (localhost:8000), a deployment, or a run')
    .option('--samples <n>', 'samples with seeded random values; default: 8', (text) =>
      readNumber('--samples', text),
    )
    .option(
      '--input-data <file>',
      'inputs of a file (JSON, npz, lines of .txt, .csv, .tsv) or folder, in place of random ones',
    )
    .option(
      '--shape <shape>',
      'shape of an input with dynamic dimensions, NAME=3,224,224; repeatable',
      collect,
    )
    .option('--length-distribution <lengths>', lengthsHelp.replace('Lengths', 'lengths').replace(/\.$/, ''))
    .requiredOption('--output <file>', 'file to write: .json, or .npz for samples of equal shapes')
    .option('--force', 'overwrite the file');
  addRuleOptions(addServerOptions(record)).answer(async ({ core, output }, options: RecordOptions) => {
    const { samples, inputData, lengthDistribution, shape, force } = options;
    requireMade(lengthDistribution, inputData === undefined ? [] : [inputData]);
    const lengths =
      lengthDistribution === undefined ? undefined : await readLengths(lengthDistribution, samples ?? 8);
    if (samples !== undefined && !(Number.isInteger(samples) && samples >= 1 && samples <= 4096)) {
      throw invalidInput('--samples', `${samples} is not a number of samples, 1 to 4096`);
    }
    if (samples !== undefined && inputData !== undefined) {
      throw invalidInput(
        '--samples',
        'The samples are those of the file, so their number cannot be set',
        'Leave out --samples or --input-data.',
      );
    }
    const rules = readRules(options);
    const source = await sourceOf(core, options);
    const written = await untilInterrupted((signal) =>
      core.handlers['golden.record']({
        ...{ of: source.of, output: resolve(options.output), rules, signal },
        ...present({ from: source.from, samples, force, lengths: lengths?.drawn }),
        ...present({ inputData: inputData === undefined ? undefined : resolve(inputData) }),
        ...(shape === undefined ? {} : { shapes: readShapes(shape) }),
      }),
    );
    const { model, file, warnings } = written;
    warn(output, warnings);
    return {
      document: { kind: 'triton-workbench-golden-record', version: 1, ...written },
      lines: () => [
        `Recorded ${formatCount(written.samples)} ${written.samples === 1 ? 'sample' : 'samples'} of ${model} in ${file}`,
        ...Object.entries(written.outputs).map(([name, rule]) => `  ${name}: ${ruleText(rule)}`),
      ],
    };
  });
}

function addCheck(golden: Verb): void {
  const check = golden
    .command('check')
    .description(
      'Send the inputs of a golden file to a served model, and compare its outputs with those of the file',
    )
    .argument('<file>', 'golden file, npz file, or JSON of perf_analyzer with validation_data')
    .requiredOption('-u, --url <address>', 'HTTP address of the Triton');
  addRuleOptions(addServerOptions(check)).answer(
    async ({ core, exit }, file: string, options: CheckOptions) => {
      const server = serverOf(options.url, options);
      const rules = readRules(options);
      const checked = await untilInterrupted((signal) =>
        core.handlers['golden.check']({ path: resolve(file), server, rules, signal }),
      );
      if (!checked.passed) exit(exitCodes.gate);
      return {
        document: {
          kind: 'triton-workbench-golden-check',
          version: 1,
          file: resolve(file),
          url: server.http,
          ...checked,
        },
        lines: () => checkLines(checked, server.http),
      };
    },
  );
}

/** `golden`: outputs that were kept, and whether a model still gives them. */
export function addGolden(program: Verb): void {
  const golden = program
    .command('golden')
    .description('Keep outputs of a model as a reference, and check models against them');
  addRecord(golden);
  addCheck(golden);
}
