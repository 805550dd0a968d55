import { invalidInput } from '../../contract/errors';
import { reachOf } from '../../contract/reach';
import { repositoryOf, type RunSpec } from '../../contract/run/run-spec';
import type { Choice, SpecPreview } from '../../contract/run/spec-tools';
import type { Core } from '../../core';
import { unifiedDiff } from '../../domain/unified-diff';
import { flagOf } from '../field-options';
import { printText } from '../output';
import type { RunOptions } from '../read-spec';
import { problemLine } from '../spec';

/** What the options change in the config.pbtxt of a repository; '' for other models, and without a change. */
function configChange({
  spec,
  configPbtxt,
  generatedPbtxt,
}: Pick<SpecPreview, 'spec' | 'configPbtxt' | 'generatedPbtxt'>): string {
  if (spec === null || repositoryOf(spec.model) === null) return '';
  return unifiedDiff(
    `${spec.configure.modelName}/config.pbtxt`,
    generatedPbtxt ?? '',
    configPbtxt ?? '',
    generatedPbtxt === '',
  );
}

/** Missing tools are refused when the run is made, with what installs them. */
const ofMachine: ReadonlySet<string> = new Set(['performance.loadTool']);
/** The option of input values takes the file as well. */
const askedAs: Readonly<Record<string, string>> = { 'performance.inputDataFile': 'performance.inputData' };

/**
 * The specification, with its warnings printed. Throws spec-invalid, and input-invalid for what its preview finds.
 * @param choice.typed the part that was typed, whose files are read for it
 */
export async function previewedSpec(
  core: Core,
  { chosen, typed }: { readonly chosen: Choice; readonly typed: unknown },
  options: RunOptions,
  quiet: boolean,
): Promise<RunSpec> {
  for (const { value } of reachOf(typed).paths) await core.handlers['approvals.give']({ path: value });
  const preview = await core.handlers['spec.preview'](chosen);
  printWarnings(preview, chosen, quiet);
  // Schema and rules have an error of their own.
  const spec = await core.handlers['spec.resolve'](chosen);
  for (const { severity, field, message, remedy } of preview.problems) {
    if (severity !== 'problem' || ofMachine.has(field)) continue;
    const where = field === '' ? undefined : flagOf(askedAs[field] ?? field, options);
    throw invalidInput(where, message, remedy ?? undefined);
  }
  return spec;
}

/** Warnings, what changes in a config.pbtxt, and where the defaults for the GPU come from or why they do not apply, before the run starts. */
function printWarnings(
  { problems, spec, configPbtxt, generatedPbtxt }: SpecPreview,
  chosen: Choice,
  quiet: boolean,
): void {
  const hasGpu = chosen.overrides['targetGpu'] !== undefined;
  // The warnings refer to the nearest valid specification, not to the requested one.
  const isRefused = problems.some(({ severity }) => severity === 'problem');
  if (!quiet) printText(configChange({ spec, configPbtxt, generatedPbtxt }), 'stderr');
  for (const problem of problems) {
    const { severity, message, remedy } = problem;
    if (severity === 'warning' && !quiet && !isRefused) printText(`${problemLine(problem)}\n`, 'stderr');
    if (severity === 'note' && hasGpu) {
      printText(`${[message, remedy].filter(Boolean).join('. ')}\n`, 'stderr');
    }
  }
}
