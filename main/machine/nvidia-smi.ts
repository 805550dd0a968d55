import { XMLParser } from 'fast-xml-parser';
import type { GpuFacts, GpuLoad, GpuProcess, GpuReport, MigDevice } from '../contract/machine';
import { fileLimits } from '../contract/reader-limits';

/** XML element: children by name, text as string. */
type SmiNode = Readonly<Record<string, unknown>>;

// Drivers' placeholders for unknown values, some in brackets.
const unknownText =
  /^\[?(?:|N\/A|Unknown Error|Not Supported|Not Found|GPU is lost|GPU requires reset|Insufficient Permissions|ERR!|Requested functionality has been deprecated)\]?$/i;

function isNode(value: unknown): value is SmiNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function childOf(node: SmiNode, name: string): SmiNode | null {
  const value = Object.hasOwn(node, name) ? node[name] : null;
  return isNode(value) ? value : null;
}

/** Children of this name, without text-only ones ("None"). */
function childrenOf(node: SmiNode, name: string): readonly SmiNode[] {
  const value: unknown = Object.hasOwn(node, name) ? node[name] : null;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter(isNode);
}

/** Text at a path; null if missing or unknown. */
function textOf(node: SmiNode, ...path: readonly [string, ...string[]]): string | null {
  const name = path[path.length - 1] ?? '';
  let parent: SmiNode | null = node;
  for (const step of path.slice(0, -1)) {
    parent = parent === null ? null : childOf(parent, step);
  }
  if (parent === null || !Object.hasOwn(parent, name)) return null;
  const value = parent[name];
  return typeof value === 'string' && !unknownText.test(value) ? value : null;
}

/** Number with this unit ('' for none) at a path; null otherwise. */
function quantityOf(
  node: SmiNode,
  unit: 'MiB' | 'W' | 'C' | 'MHz' | '%' | '',
  ...path: readonly [string, ...string[]]
): number | null {
  const text = textOf(node, ...path);
  const match = text === null ? null : /^(\d{1,15}(?:\.\d{1,6})?)(?: ([A-Za-z%]{1,3}))?$/.exec(text);
  return match !== null && (match[2] ?? '') === unit ? Number(match[1]) : null;
}

function switchOf(node: SmiNode, ...path: readonly [string, ...string[]]): boolean | null {
  const text = textOf(node, ...path);
  if (text === 'Enabled') return true;
  return text === 'Disabled' ? false : null;
}

// Source: developer.nvidia.com/cuda-gpus and its legacy page. First match wins: names of generations overlap.
const capabilities: readonly (readonly [capability: string, name: RegExp])[] = [
  ['7.5', /\bQuadro RTX \d{4}\b|\bTITAN RTX\b/],
  ['12.0', /\bRTX PRO \d{3,4}\b/],
  ['8.9', /\bRTX \d{4}(?: SFF)? Ada\b/],
  ['8.6', /\bRTX A\d{3,4}\b/],
  // The only 20-series part with a 30-series chip.
  ['8.6', /\bGeForce RTX 2050\b/],
  ['12.0', /\bGeForce RTX 50\d\d\b/],
  ['8.9', /\bGeForce RTX 40\d\d\b/],
  ['8.6', /\bGeForce RTX 30\d\d\b/],
  ['7.5', /\bGeForce RTX 20\d\d\b|\bGeForce GTX 16\d\d\b/],
  ['6.1', /\bGeForce GTX? 10\d\d\b|\bTITAN Xp?\b/],
  ['10.3', /\bG?B300\b/],
  ['10.0', /\bG?B200\b/],
  ['9.0', /\bG?H200\b|\bH(?:100|800|20)\b/],
  ['8.9', /\bL(?:40[SG]?|4|20|2)\b/],
  ['8.0', /\bA(?:100|30)X?\b|\bA800\b/],
  ['8.6', /\bA(?:40|10G?|16|2)\b/],
  ['7.5', /\bT(?:4G?|400|600|1000)\b/],
  ['7.0', /\bG?V100S?\b|\bTITAN V\b/],
  ['6.0', /\bG?P100\b/],
  ['6.1', /\bTesla P(?:40|6|4)\b|\bP40\b|\bQuadro P\d{3,4}\b/],
  ['3.7', /\bTesla K80\b/],
];

/** "8.0" for "NVIDIA A100-SXM4-80GB"; null if unknown. */
export function computeCapabilityOf(productName: string): string | null {
  return capabilities.find(([, name]) => name.test(productName))?.[0] ?? null;
}

const mebibyte = 1024 * 1024;

function bytesOf(node: SmiNode, ...path: readonly [string, ...string[]]): number | null {
  const mebibytes = quantityOf(node, 'MiB', ...path);
  return mebibytes === null ? null : mebibytes * mebibyte;
}

/** Watts by the first present name; `power_readings` until early drivers of schema v12. */
function wattsOf(gpu: SmiNode, names: readonly string[]): number | null {
  return (
    ['gpu_power_readings', 'power_readings']
      .flatMap((group) => names.map((name) => quantityOf(gpu, 'W', group, name)))
      .find((value) => value !== null) ?? null
  );
}

function parseLoad(gpu: SmiNode): GpuLoad {
  return {
    gpuPercent: quantityOf(gpu, '%', 'utilization', 'gpu_util'),
    memoryPercent: quantityOf(gpu, '%', 'utilization', 'memory_util'),
    memoryUsedBytes: bytesOf(gpu, 'fb_memory_usage', 'used'),
    powerDrawW: wattsOf(gpu, ['power_draw', 'instant_power_draw', 'average_power_draw']),
    temperatureC: quantityOf(gpu, 'C', 'temperature', 'gpu_temp'),
    smClockMHz: quantityOf(gpu, 'MHz', 'clocks', 'sm_clock'),
  };
}

/** Errors since driver load: a total up to Volta, per memory type since Turing. */
function uncorrectedVolatile(gpu: SmiNode): number | null {
  const errors = childOf(gpu, 'ecc_errors');
  const volatile = errors === null ? null : childOf(errors, 'volatile');
  if (volatile === null) return null;
  const total = quantityOf(volatile, '', 'double_bit', 'total');
  if (total !== null) return total;
  const counts = [
    'sram_uncorrectable',
    'sram_uncorrectable_parity',
    'sram_uncorrectable_secded',
    'dram_uncorrectable',
  ].flatMap((name) => quantityOf(volatile, '', name) ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

function parseMigDevice(device: SmiNode): readonly MigDevice[] {
  const index = quantityOf(device, '', 'index');
  const gpuInstanceId = quantityOf(device, '', 'gpu_instance_id');
  const computeInstanceId = quantityOf(device, '', 'compute_instance_id');
  // Required to use the device.
  if (index === null || gpuInstanceId === null || computeInstanceId === null) return [];
  return [
    {
      index,
      gpuInstanceId,
      computeInstanceId,
      uuid: textOf(device, 'uuid'),
      multiprocessors: quantityOf(device, '', 'device_attributes', 'shared', 'multiprocessor_count'),
      memoryTotalBytes: bytesOf(device, 'fb_memory_usage', 'total'),
      memoryUsedBytes: bytesOf(device, 'fb_memory_usage', 'used'),
    },
  ];
}

function parseProcess(entry: SmiNode): readonly GpuProcess[] {
  const pid = quantityOf(entry, '', 'pid');
  if (pid === null) return [];
  return [
    {
      pid,
      name: textOf(entry, 'process_name') ?? 'unknown',
      type: textOf(entry, 'type') ?? 'unknown',
      usedMemoryBytes: bytesOf(entry, 'used_memory'),
    },
  ];
}

function parseGpu(gpu: SmiNode, index: number): GpuFacts {
  const name = textOf(gpu, 'product_name');
  const migDevices = childOf(gpu, 'mig_devices');
  const processes = childOf(gpu, 'processes');
  return {
    index,
    name: name ?? 'unknown GPU',
    uuid: textOf(gpu, 'uuid'),
    busId: textOf(gpu, 'pci', 'pci_bus_id') ?? textOf(gpu, '@_id') ?? 'unknown',
    architecture: textOf(gpu, 'product_architecture'),
    computeCapability: name === null ? null : computeCapabilityOf(name),
    memoryTotalBytes: bytesOf(gpu, 'fb_memory_usage', 'total'),
    load: parseLoad(gpu),
    powerLimitW: wattsOf(gpu, ['current_power_limit', 'power_limit', 'enforced_power_limit']),
    maxClocks: {
      smMHz: quantityOf(gpu, 'MHz', 'max_clocks', 'sm_clock'),
      memoryMHz: quantityOf(gpu, 'MHz', 'max_clocks', 'mem_clock'),
    },
    performanceState: textOf(gpu, 'performance_state'),
    ecc: {
      enabled: switchOf(gpu, 'ecc_mode', 'current_ecc'),
      uncorrectedVolatile: uncorrectedVolatile(gpu),
    },
    mig: {
      enabled: switchOf(gpu, 'mig_mode', 'current_mig'),
      devices: migDevices === null ? [] : childrenOf(migDevices, 'mig_device').flatMap(parseMigDevice),
    },
    processes: processes === null ? [] : childrenOf(processes, 'process_info').flatMap(parseProcess),
  };
}

/** Removes supported clocks, up to 90 % of a report. */
function withoutClockLists(xml: string): string {
  const endTag = '</supported_clocks>';
  const kept: string[] = [];
  let position = 0;
  for (;;) {
    const start = xml.indexOf('<supported_clocks>', position);
    const end = start === -1 ? -1 : xml.indexOf(endTag, start);
    if (end === -1) break;
    kept.push(xml.slice(position, start));
    position = end + endTag.length;
  }
  kept.push(xml.slice(position));
  return kept.join('');
}

/** Parses `nvidia-smi -q -x`, schema v10 to v13; resolves no entities. null for incomplete or oversized text. */
export function parseNvidiaSmi(xml: string): GpuReport | null {
  const endTag = '</nvidia_smi_log>';
  const start = xml.indexOf('<nvidia_smi_log');
  const end = xml.lastIndexOf(endTag);
  if (start === -1 || end < start) return null;
  const report = withoutClockLists(xml.slice(start, end + endTag.length));
  if (Buffer.byteLength(report) > fileLimits.nvidiaSmi.parsedBytes) return null;
  const parser = new XMLParser({ parseTagValue: false, ignoreAttributes: false, processEntities: false });
  let log: SmiNode | null;
  try {
    log = childOf(parser.parse(report) as SmiNode, 'nvidia_smi_log');
  } catch {
    return null;
  }
  if (log === null) return null;
  const gpus = childrenOf(log, 'gpu').map(parseGpu);
  const driverVersion = textOf(log, 'driver_version');
  if (driverVersion === null && gpus.length === 0) return null;
  return {
    driverVersion,
    cudaVersion: textOf(log, 'cuda_version'),
    gpus,
    problem: gpus.length === 0 ? 'The NVIDIA driver responds, but detects no GPU.' : null,
  };
}
