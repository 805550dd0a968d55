import { dirname, join } from 'node:path';
import { z } from 'zod';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import { type ConfigureSpec, repositoryOf, type RunSpec } from '../../contract/run/run-spec';
import {
  type Configured,
  configuredSchema,
  modelFields,
  type SearchSpace,
} from '../../contract/study/search';
import { servedOfRepository } from '../../deployments/served-of-repository';
import {
  ownConfigText,
  ownEdits,
  ownFields,
  type RepositorySource,
  repositorySourceOf,
} from '../../formats/own-config';
import { hashFolder } from '../../platform/files';
import { readPlainText } from '../../platform/plain-entry';
import type { RunFolder } from '../../store/run-folder';
import type { Configuration, Variant } from '../../studies/search/variant';
import { editConfigPbtxt } from '../../triton/config/config-editor';
import { parseConfigPbtxt } from '../../triton/config/config-pbtxt';

export interface ServedRun {
  readonly spec: RunSpec;
  readonly folder: RunFolder;
  readonly runId: string;
}

/** A name in the file must be that of the folder. */
const named = (text: string, modelName: string): string =>
  parseConfigPbtxt(text).name === '' ? text : editConfigPbtxt(text, 'name', modelName);

const schedulingSchema = z.looseObject({ step: z.array(z.looseObject({ modelName: z.string() })) });

/** Models of an ensemble’s steps, in their order. */
const stepsOf = (text: string): readonly string[] =>
  schedulingSchema
    .parse(parseConfigPbtxt(text)['ensembleScheduling'] ?? { step: [] })
    .step.map(({ modelName }) => modelName);

/** The specification as if the run were of a model in its ensemble, whose configuration is searched. Throws input-invalid. */
export async function partSpec({ spec, folder, runId }: ServedRun, part: string): Promise<RunSpec> {
  const source = repositorySourceOf(spec.model);
  const own = source?.repository.models.find(({ name }) => name === part);
  const steps = stepsOf(source?.repository.config ?? '');
  if (source === null || own === undefined || own.backend === 'ensemble' || !steps.includes(part)) {
    const title = spec.configure.modelName;
    const remedy =
      steps.length === 0 ? 'Leave it out.' : `Its models are: ${[...new Set(steps)].join(', ')}.`;
    throw invalidInput('--part', `${title} of ${runId} is not an ensemble with the model ${part}`, remedy);
  }
  const read = (path: string) => readPlainText(path, fileLimits.configPbtxt.bytes);
  const config = await read(join(folder.repository, part, 'config.pbtxt')).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  const served = parseConfigPbtxt(await read(join(folder.step('deploy'), 'served', part, 'config.pbtxt')));
  const inner: RepositorySource = {
    ...{ ...source, path: join(dirname(source.path), part), title: part, batched: served.maxBatchSize > 0 },
    repository: { ...source.repository, models: [own], with: [], config },
  };
  return {
    ...spec,
    model: { ...spec.model, source: inner },
    configure: { ...spec.configure, ...ownFields(inner) },
  };
}

/** An ensemble with other fields of a model in it. Throws input-invalid. */
async function partConfigs(
  run: ServedRun,
  source: RepositorySource,
  part: string,
): Promise<(fields: Partial<Configured>) => Configuration> {
  const { config, version } = await servedOfRepository(run, source);
  const spec = await partSpec(run, part);
  const inner = repositorySourceOf(spec.model) ?? source;
  const [, ...others] = version.models;
  const whole = ownConfigText({ configure: run.spec.configure, source }).text ?? '';
  const places = stepsOf(whole).flatMap((name, at) =>
    name === part ? [`ensemble_scheduling.step[${at}].model_name`] : [],
  );
  const nameIn = (modelName: string): string => `${part}--of-${modelName}`;
  return (fields) => {
    const configure: ConfigureSpec = { ...spec.configure, ...fields };
    return {
      configOf: (modelName) => ({ ...config, name: modelName }),
      own: {
        ...{ folder: run.folder.repository, others, with: version.with },
        textOf: (modelName) =>
          places.reduce(
            (text, place) => editConfigPbtxt(text, place, nameIn(modelName)),
            named(whole, modelName),
          ),
        part: {
          ...{ name: part, nameIn },
          textOf: (partName) => {
            const { text } = ownConfigText({ configure, source: inner });
            return text === null ? null : named(text, partName);
          },
        },
      },
    };
  };
}

/** The repository's own configuration with other fields. Throws input-invalid. @param part of an ensemble, whose fields they are */
export async function ownConfigs(
  run: ServedRun,
  source: RepositorySource,
  part?: string,
): Promise<(fields: Partial<Configured>) => Configuration> {
  if (part !== undefined) return partConfigs(run, source, part);
  const { spec, folder, runId } = run;
  const { config, version } = await servedOfRepository({ spec, folder, runId }, source);
  const [, ...others] = version.models;
  return (fields) => {
    const configure: ConfigureSpec = { ...spec.configure, ...fields };
    const { maxBatchSize } = configure;
    const served = maxBatchSize === spec.configure.maxBatchSize ? config : { ...config, maxBatchSize };
    return {
      configOf: (modelName) => ({ ...served, name: modelName }),
      own: {
        ...{ folder: folder.repository, others, with: version.with },
        textOf: (modelName) => {
          const { text } = ownConfigText({ configure, source });
          return text === null ? null : named(text, modelName);
        },
      },
    };
  };
}

/** A search compares what the configuration has a place for; null: of a model that the workbench configures. */
export function ownFilter(spec: RunSpec): ((fields: Configured) => boolean) | null {
  const source = repositorySourceOf(spec.model);
  if (source === null) return null;
  return (fields) => ownEdits({ configure: { ...spec.configure, ...fields }, source }).refused.length === 0;
}

/** Throws config-invalid for a field that the repository's configuration has no place for. */
export function requireEditable(spec: RunSpec, fields: Partial<ConfigureSpec>): void {
  const source = repositorySourceOf(spec.model);
  if (source !== null) ownConfigText({ configure: { ...spec.configure, ...fields }, source });
}

const configured = configuredSchema.keyof().options;

/** Throws config-invalid and input-invalid for values that a repository as it is cannot have. */
export function requireOwnSpace(spec: RunSpec, space: SearchSpace): void {
  const [own] = repositoryOf(spec.model)?.models ?? [];
  if (own === undefined) return;
  if (own.backend === 'ensemble') {
    throw new WorkbenchError(
      'combination-unsupported',
      `${own.name} is an ensemble, which has neither instances nor batching of its own`,
      {
        where: '--part',
        remedy:
          'Name the composing model to search (--part MODEL). "Where the time goes" on the page of the ensemble’s run shows which one is the bottleneck.',
      },
    );
  }
  const made = modelFields.find((field) => space[field] !== undefined);
  if (made !== undefined) {
    const remedy = 'Leave it out, or run the model with --rewrite and search that run.';
    throw invalidInput(made, 'The files of a repository are served as they are', remedy);
  }
  for (const field of configured) {
    for (const value of space[field] ?? []) {
      requireEditable(spec, { [field]: value });
    }
  }
}

/**
 * Throws combination-unsupported for several models of a repository as it is on a Triton that is already running: they keep their
 * names, which may be those of models that others use there.
 */
export function requireOwnPlace(spec: RunSpec, isRunning: boolean): void {
  const names = (repositoryOf(spec.model)?.models ?? []).map(({ name }) => name);
  if (!isRunning || names.length <= 1) return;
  throw new WorkbenchError(
    'combination-unsupported',
    `${names[0] ?? ''} is served with ${names.slice(1).join(', ')}, which cannot be loaded beside the models of a running Triton`,
    {
      where: 'server',
      remedy: 'Measure it on a Triton that the workbench starts: here, or with --host on a host.',
    },
  );
}

/** Models keep their names, so that all variants share them. Throws combination-unsupported where they differ. */
export async function requireSameParts(variants: readonly Pick<Variant, 'name' | 'own'>[]): Promise<void> {
  const known = new Map<string, string>();
  for (const [at, { name, own }] of variants.entries()) {
    if (own === undefined) continue;
    // The first is served under its own name, too.
    for (const part of [...(at === 0 ? [name] : []), ...own.others]) {
      const hash = await hashFolder(join(own.folder, part));
      if ((known.get(part) ?? hash) !== hash) {
        throw new WorkbenchError(
          'combination-unsupported',
          `The runs are served with different models ${part}`,
          {
            where: part,
            remedy:
              'A Triton serves only one model of each name. Compare the runs as they were measured, without --measure.',
          },
        );
      }
      known.set(part, hash);
    }
  }
}
