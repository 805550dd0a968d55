import type { Command } from 'commander';
import { cliRemedyOf } from '../contract/error-text';
import { WorkbenchError } from '../contract/errors';
import type { GpuFacts, MachineStatus } from '../contract/machine';
import { formatBytes } from '../contract/numbers';
import { present } from '../contract/present';
import { dockerEngineSchema, formats } from '../contract/run/run-spec';
import { formatChecks } from '../contract/words';
import { type CliContext, jsonHelp } from './context';
import type { Output } from './output';
import { readOneOf } from './read-values';

interface DetectOptions {
  readonly json?: boolean;
  readonly images?: string;
  readonly release?: string;
  readonly gpus?: string;
  readonly format?: string;
}

const bytesText = (bytes: number | null) => (bytes === null ? 'unknown' : formatBytes(bytes));

function gpuLine(gpu: GpuFacts, { driverVersion, cudaVersion }: MachineStatus['gpus']): string {
  const facts = [
    gpu.architecture ?? 'architecture unknown',
    `compute capability ${gpu.computeCapability ?? 'unknown'}`,
    bytesText(gpu.memoryTotalBytes),
    `driver ${driverVersion ?? 'unknown'}`,
    `CUDA up to ${cudaVersion ?? 'unknown'}`,
  ];
  const slices = gpu.mig.devices.length === 0 ? '' : `, ${gpu.mig.devices.length} MIG devices`;
  return `GPU ${gpu.index} ${gpu.name}: ${facts.join(', ')}${slices}`;
}

function tell(output: Output, machine: MachineStatus): void {
  const { environment, gpus, host } = machine;
  output.say(
    `${environment.os}; ${environment.cpu}, ${environment.cpuCount} processors, ` +
      `${bytesText(environment.memoryBytes)} memory, ${bytesText(host.memoryFreeBytes)} free`,
  );
  for (const disk of host.disks) output.say(`Disk of ${disk.path}: ${bytesText(disk.freeBytes)} free`);
  for (const gpu of gpus.gpus) output.say(gpuLine(gpu, gpus));
  if (machine.release !== null) output.say(`NGC images: ${machine.release}`);
  if (gpus.problem !== null) output.say(`GPUs: ${gpus.problem}`);
  for (const engine of machine.engines) {
    const version = engine.version === null ? '' : ` ${engine.version}`;
    output.say(`${engine.available ? '✓' : '–'} engine ${engine.kind}${version}: ${engine.note}`);
    // What installs the tools of the local engine is a button in the window and a command here.
    const remedy =
      engine.kind === 'local' && !engine.available ? cliRemedyOf('toolchain-missing') : engine.remedy;
    if (remedy !== null) output.say(`    ${remedy}`);
  }
  output.say('');
  for (const line of formatChecks(machine.checks)) output.say(line);
}

/** `detect`: what this machine offers, and what keeps it from running Triton in containers. */
export function addDetect(program: Command, context: CliContext): void {
  program
    .command('detect')
    .description(
      'Show the hardware and the engines of this machine, and run the preflight checks for containers',
    )
    .option('--images <family>', 'check for cpu (built locally) or ngc (NVIDIA) images')
    .option('--release <YY.MM>', 'check for this release of the NGC images')
    .option('--gpus <list>', 'check for these GPUs: "idlest", "all", or UUIDs')
    .option(
      '--format <name>',
      'check for serving this format; newer releases have no backend for tf-savedmodel',
    )
    .option('--json', jsonHelp)
    .action(async (options: DetectOptions) => {
      const output = context.output(options);
      const { images, release, gpus } = options;
      const asked = images !== undefined || release !== undefined || gpus !== undefined;
      const engine = dockerEngineSchema.safeParse({
        kind: 'docker',
        ...present({ images, release }),
        gpus: (gpus ?? '').split(/[\s,]+/).filter((id) => id !== ''),
      });
      if (!engine.success) {
        const [issue] = engine.error.issues;
        throw new WorkbenchError('input-invalid', issue?.message ?? 'not valid', {
          where: `--${String(issue?.path[0] ?? 'images')}`,
        });
      }
      const format =
        options.format === undefined ? undefined : readOneOf('--format', formats, options.format);
      const machine = await (await context.core()).machine(asked ? engine.data : undefined, format);
      if (output.json) output.document(machine);
      else tell(output, machine);
    });
}
