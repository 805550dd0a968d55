import type { Command } from 'commander';
import { WorkbenchError } from '../contract/errors';
import { publishedGpus } from '../contract/published-gpu';
import type { Choice } from '../contract/spec-tools';
import { mergeTrees } from '../contract/trees';
import type { Core } from '../core';
import { addFieldOptions, collect } from './field-options';
import { printText } from './output';
import { readOwnModel } from './read-own-model';
import type { RunOptions, SpecReader } from './read-spec';
import { readOverrides } from './read-spec';
import { readTargetGpu } from './target-gpu';

/** The options that make a specification, the same for every verb that takes one. */
export function addSpecOptions(command: Command): Command {
  command.option(
    '--spec <file>',
    'run.yaml with any part of the specification, a runner configuration or environment file of the published ' +
      'procedures, or config.pbtxt; "-" is standard input; options win over it',
  );
  return addFieldOptions(command, 'run')
    .option(
      '--gpu <name>',
      `${publishedGpus.join(', ')}: its published defaults (with --profile full) and figures; auto: this machine's; none`,
    )
    .option(
      '--shape <name=dims>',
      'own model file: sample shape of an input, "x=1,3,224,224" or "ids:INT64=1,16"; repeatable',
      collect,
    )
    .option('--set <KEY=VALUE>', 'any field of run.yaml, or a published variable; repeatable', collect);
}

/** A choice, and the part of it that the command itself says, without the file of `--spec`. */
export interface TypedChoice extends Choice {
  readonly typed: Readonly<Record<string, unknown>>;
}

/** What the command line chooses; notes of an imported file go to stderr. Throws input-invalid without a preset. */
export async function readChoice(
  core: Core,
  preset: string | undefined,
  options: RunOptions,
): Promise<TypedChoice> {
  const note = (line: string) => {
    printText(`${line}\n`, 'stderr');
  };
  const own = preset === undefined ? null : await readOwnModel(core, preset, options, note);
  const name = own === null ? preset : own.preset;
  const reader: SpecReader = {
    importSpec: (input) => core.handlers['spec.import'](input),
    specModel: core.readers.specModel,
    note,
  };
  const asked = await readOverrides(name, options, reader);
  const said = await readOverrides(name, { ...options, spec: undefined }, reader);
  const typed = own === null ? said : mergeTrees(own.overrides, said);
  if (own !== null) {
    if (options.gpu !== undefined && options.gpu !== 'none') {
      throw new WorkbenchError('input-invalid', '--gpu does not apply to your own model', {
        where: '--gpu',
        remedy: 'Remove it; use --gpus to give GPUs to the containers.',
      });
    }
    return { preset: own.preset, overrides: mergeTrees(own.overrides, asked), typed };
  }
  // A specification from a file is taken as it stands.
  const option = options.gpu ?? (options.spec === undefined ? undefined : 'none');
  const targetGpu = await readTargetGpu(option, asked, {
    gpus: () => core.handlers['machine.gpus'](undefined),
    note,
  });
  const overrides = targetGpu === null ? asked : mergeTrees(asked, { targetGpu });
  const chosen = (overrides['model'] as { preset?: unknown } | undefined)?.preset;
  if (typeof chosen === 'string') return { preset: chosen, overrides: { ...overrides }, typed };
  throw new WorkbenchError('input-invalid', 'No preset given', {
    where: '[preset]',
    remedy: 'Name a preset, for example: run resnet50 --profile quick',
  });
}
