import type { Command } from 'commander';
import { WorkbenchError } from '../contract/errors';
import { publishedGpus } from '../contract/published-gpu';
import type { Choice } from '../contract/spec-tools';
import type { Core } from '../core';
import { printText } from './output';
import type { RunOptions, SpecReader } from './read-spec';
import { readOwnModel } from './read-own-model';
import { readOverrides } from './read-spec';
import { readTargetGpu } from './target-gpu';
import { mergeTrees } from '../contract/trees';

/** Of an option that may be repeated. */
export const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

/** The options that make a specification, the same for every verb that takes one. */
export function addSpecOptions(command: Command): Command {
  return command
    .option(
      '--spec <file>',
      'run.yaml with any part of the specification, a runner configuration or environment file of the published ' +
        'procedures, or config.pbtxt; "-" is standard input; options win over it',
    )
    .option('--profile <name>', 'quick (small, trained for seconds) or full (published size)')
    .option('--format <name>', 'onnx, ts-trace, ts-script, tf-savedmodel or trt [FORMAT]')
    .option('--precision <name>', 'fp32 or fp16 [PRECISION]')
    .option('--engine <kind>', 'local, docker or remote')
    .option('--url <url>', 'address of a running Triton, for --engine remote')
    .option('--images <family>', 'docker: cpu (built here) or ngc (NVIDIA, for GPUs)')
    .option('--release <YY.MM>', 'docker: release of the NGC images')
    .option('--triton-image <ref>', 'docker: another Triton image')
    .option('--client-image <ref>', 'docker: another image for the client')
    .option('--gpus <list>', 'docker: "all", or UUIDs of GPUs and MIG devices [NVIDIA_VISIBLE_DEVICES]')
    .option(
      '--gpu <name>',
      `${publishedGpus.join(', ')}: its published defaults (with --profile full) and figures; auto: this machine's; none`,
    )
    .option('--shm-size-mib <n>', 'docker: /dev/shm of the Triton container')
    .option('--http-port <n>', 'fixed HTTP port on loopback; chosen when absent')
    .option('--grpc-port <n>', 'fixed gRPC port on loopback; chosen when absent')
    .option('--checkpoint <file>', 'your weights (a state dictionary)')
    .option(
      '--dataset <path>',
      "your data set in the preset's format; for a model file an npz or JSON file of samples",
    )
    .option(
      '--shape <name=dims>',
      'own model file: shape of the samples of an input, "x=1,3,224,224" or "ids:INT64=1,16"; repeatable',
      collect,
    )
    .option('--model-name <name>', 'name on Triton [MODEL_NAME]')
    .option('--batch-sizes <list>', 'offline: batch sizes, "1,2,4" [BATCH_SIZE]')
    .option(
      '--concurrency <list>',
      'online: concurrent requests, "1,2,4", or "formula" for the published sweep',
    )
    .option('--online-batch-size <n>', 'online: batch size of a request')
    .option('--load-tool <name>', 'native or perf_analyzer')
    .option('--protocol <name>', 'grpc or http')
    .option('--input-data <source>', 'random, zero, dataset, or a JSON file, npz file or folder with values')
    .option('--measurement-interval-ms <n>', 'length of a measurement window')
    .option('--repeats <n>', 'rounds over all levels; medians and ranges are shown')
    .option('--cross-check', 'every level also with the other load tool, in turns')
    .option('--max-batch-size <n>', 'max_batch_size of the model [MAX_BATCH_SIZE]')
    .option('--instances <n>', 'instance_group count [NUMBER_OF_MODEL_INSTANCES]')
    .option('--threads <n>', 'threads of one instance on CPU; 0 lets the runtime choose')
    .option('--preferred-batch-sizes <list>', 'preferred_batch_size [TRITON_PREFERRED_BATCH_SIZES]')
    .option('--max-queue-delay-us <n>', 'max_queue_delay_microseconds [TRITON_MAX_QUEUE_DELAY]')
    .option('--backend-accelerator <name>', 'none, cuda, trt or amp [BACKEND_ACCELERATOR]')
    .option('--atol <[output=]value>', 'absolute tolerance, repeatable', collect)
    .option('--rtol <[output=]value>', 'relative tolerance, repeatable', collect)
    .option(
      '--threshold <metric=value>',
      'lowest allowed metric (highest where lower is better), repeatable',
      collect,
    )
    .option('--allow-unverified', 'measure even if the accuracy gate does not pass; results are marked')
    .option('--set <KEY=VALUE>', 'any field of run.yaml, or an upstream variable; repeatable', collect);
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
      throw new WorkbenchError('input-invalid', 'Nothing is published of a model of your own', {
        where: '--gpu',
        remedy: 'Leave it out; --gpus gives GPUs to the containers.',
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
  throw new WorkbenchError('input-invalid', 'Say which preset is meant', {
    where: '[preset]',
    remedy: 'For example: run resnet50 --profile quick',
  });
}
