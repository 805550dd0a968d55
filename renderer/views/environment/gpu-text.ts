import type { GpuFacts, GpuReport } from '../../../main/contract/machine';
import { formatBytes, formatCount } from '../../../main/contract/numbers';

const yesNo = (value: boolean | null): string | null => (value === null ? null : value ? 'on' : 'off');

export function gpuFacts(
  gpu: GpuFacts,
  report: GpuReport,
): readonly (readonly [name: string, value: string])[] {
  const { smMHz, memoryMHz } = gpu.maxClocks;
  const eccErrors = gpu.ecc.uncorrectedVolatile;
  const facts: readonly (readonly [string, string | null])[] = [
    ['Architecture', gpu.architecture],
    ['Compute capability', gpu.computeCapability],
    ['Memory', gpu.memoryTotalBytes === null ? null : formatBytes(gpu.memoryTotalBytes)],
    ['Driver', report.driverVersion],
    ['CUDA up to', report.cudaVersion],
    ['Power limit', gpu.powerLimitW === null ? null : `${formatCount(gpu.powerLimitW)} W`],
    [
      'Max clocks',
      smMHz === null && memoryMHz === null
        ? null
        : [
            ...(smMHz === null ? [] : [`SM ${formatCount(smMHz)} MHz`]),
            ...(memoryMHz === null ? [] : [`memory ${formatCount(memoryMHz)} MHz`]),
          ].join(', '),
    ],
    ['Performance state', gpu.performanceState],
    [
      'ECC',
      gpu.ecc.enabled === true && eccErrors !== null
        ? `on, ${formatCount(eccErrors)} uncorrected since the driver started`
        : yesNo(gpu.ecc.enabled),
    ],
    ['MIG', yesNo(gpu.mig.enabled)],
    ['UUID', gpu.uuid],
    ['Bus', gpu.busId],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

export interface Gauge {
  readonly label: string;
  readonly text: string;
  /** 0 to 1; null: no scale or no reading. */
  readonly share: number | null;
  /** 0 to 1 each, oldest first; null: no reading. */
  readonly past: readonly (number | null)[];
}

/** Degrees Celsius at which the bar is full: NVIDIA's GPUs slow down between 85 and 100. */
const fullTemperatureC = 100;

const shareOf = (value: number | null, full: number | null): number | null =>
  value === null || full === null || full <= 0 ? null : Math.min(1, Math.max(0, value / full));

export function gaugesOf(gpu: GpuFacts, history: readonly GpuFacts['load'][]): readonly Gauge[] {
  const { load, memoryTotalBytes, powerLimitW } = gpu;
  const gauge = (
    label: string,
    text: string | null,
    full: number | null,
    read: (of: GpuFacts['load']) => number | null,
  ): Gauge => ({
    label,
    text: text ?? 'not reported',
    share: shareOf(read(load), full),
    past: history.map((one) => shareOf(read(one), full)),
  });
  const total = memoryTotalBytes === null ? '' : ` of ${formatBytes(memoryTotalBytes)}`;
  const limit = powerLimitW === null ? '' : ` of ${formatCount(powerLimitW)} W`;
  return [
    gauge(
      'Utilization',
      load.gpuPercent === null ? null : `${formatCount(load.gpuPercent)} %`,
      100,
      (of) => of.gpuPercent,
    ),
    gauge(
      'Memory',
      load.memoryUsedBytes === null ? null : `${formatBytes(load.memoryUsedBytes)}${total}`,
      memoryTotalBytes,
      (of) => of.memoryUsedBytes,
    ),
    gauge(
      'Power',
      load.powerDrawW === null ? null : `${formatCount(load.powerDrawW)}${limit === '' ? ' W' : limit}`,
      powerLimitW,
      (of) => of.powerDrawW,
    ),
    gauge(
      'Temperature',
      load.temperatureC === null ? null : `${formatCount(load.temperatureC)} °C`,
      fullTemperatureC,
      (of) => of.temperatureC,
    ),
  ];
}

export function sparkline(
  past: readonly (number | null)[],
  kept: number,
  width: number,
  height: number,
): string {
  const step = width / (kept - 1);
  let drawing = false;
  return past
    .map((share, index) => {
      if (share === null) {
        drawing = false;
        return '';
      }
      const x = (width - (past.length - 1 - index) * step).toFixed(1);
      const y = (height - share * height).toFixed(1);
      const command = drawing ? 'L' : 'M';
      drawing = true;
      return `${command}${x} ${y}`;
    })
    .join('');
}
