import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { judgeAccuracy } from '../../accuracy/gate';
import { WorkbenchError } from '../../contract/errors';
import { whileServing } from '../../engine/while-serving';
import { outputComparisonSchema } from '../../contract/results';
import { codeHash, datasetArguments, modelArguments, readPrepared } from '../model-arguments';
import type { Step, StepContext } from '../step';
import type { ToolkitArgument } from '../../toolkit/toolkit';

const inferred = z.looseObject({ samples: z.int() });
const measured = z.looseObject({ metrics: z.record(z.string(), z.number().nullable()), samples: z.int() });
const verified = z.looseObject({ outputs: z.array(outputComparisonSchema) });

const tolerances = (flag: string, values: Readonly<Record<string, number>>): ToolkitArgument[] =>
  Object.entries(values).map(([name, value]) => [flag, `${name}=${value}`]);

async function metricsOf(context: StepContext, of: 'framework' | 'Triton', dump: string, csv: string) {
  const { run } = context;
  const listener = {
    ...context,
    fact: (name: string, value: string) => {
      context.fact(`${name}, ${of}`, value);
    },
  };
  const args: ToolkitArgument[] = [
    ...modelArguments(run),
    ['--dump-dir', dump],
    ['--csv', join(run.folder.results, csv)],
  ];
  return run.services.toolkit.call('metrics', args, measured, listener);
}

/** The same samples through the framework and through Triton: outputs compared, metrics of both, and the gate. */
export const accuracyStep: Step = {
  id: 'accuracy',
  kind: 'record',
  needs: ['images', 'deploy'],
  deadlineS: 1800,
  async inputs(run) {
    return { code: await codeHash(run), accuracy: run.spec.accuracy };
  },
  async run(context) {
    const { run, spec } = context;
    const { toolkit } = run.services;
    if (run.server === null) throw new WorkbenchError('server-gone', 'No Triton is running for this run');
    const prepared = await readPrepared(context);
    const frameworkDump = join(context.dir, 'framework');
    const tritonDump = join(context.dir, 'triton');
    for (const dump of [frameworkDump, tritonDump]) await rm(dump, { recursive: true, force: true });
    const common = [...modelArguments(run), ...datasetArguments(context, prepared.dataset)];
    await toolkit.call(
      'infer-framework',
      [
        ...common,
        ['--checkpoint', prepared.checkpoint],
        ['--runtime', 'pyt'],
        ['--output-dir', frameworkDump],
        ['--dump-labels'],
      ],
      inferred,
      context,
    );
    const { server } = run;
    const served = await whileServing(server, context.signal, 'while it answered the samples', (signal) =>
      toolkit.call(
        'infer-triton',
        [
          ...common,
          ['--precision', spec.precision],
          ['--url', server.forClients.grpcAddress],
          ['--protocol', 'grpc'],
          ['--model-name', spec.configure.modelName],
          ['--model-version', spec.configure.modelVersion],
          ['--output-dir', tritonDump],
          ['--dump-labels'],
        ],
        inferred,
        { ...context, signal },
      ),
    );
    const { outputs } = await toolkit.call(
      'verify',
      [
        ['--reference', frameworkDump],
        ['--candidate', tritonDump],
        ...tolerances('--atol', spec.accuracy.atol),
        ...tolerances('--rtol', spec.accuracy.rtol),
      ],
      verified,
      context,
    );
    const framework = await metricsOf(context, 'framework', frameworkDump, 'accuracy-metrics-framework.csv');
    const triton = await metricsOf(context, 'Triton', tritonDump, 'accuracy-metrics-triton.csv');
    const result = judgeAccuracy(spec.accuracy, outputs, framework.metrics, triton.metrics, served.samples);
    await run.append({ type: 'accuracy', key: run.keys.accuracy, result });
    result.warnings.forEach(context.warning);
    if (result.passed) return {};
    if (!spec.accuracy.allowUnverified) return { gate: { reasons: result.reasons } };
    context.warning('The accuracy gate did not pass; every result of this run is unverified.');
    return {};
  },
};
