import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';

/** One GPU as `nvidia-smi -q -x` describes it. */
export interface GpuFacts {
  readonly name: string;
  /** The PCI bus id where the driver gives no UUID. */
  readonly uuid: string;
  /** 0 where the driver does not say. */
  readonly memoryBytes: number;
  readonly driver: string;
}

const gpuSchema = z.object({
  '@_id': z.string().default(''),
  product_name: z.string(),
  uuid: z.string().optional(),
  fb_memory_usage: z.object({ total: z.string() }).optional(),
});
const logSchema = z.object({
  nvidia_smi_log: z.object({ driver_version: z.string(), gpu: z.array(gpuSchema).default([]) }),
});

const mebibyte = 1024 * 1024;

/** "15360 MiB" -> bytes; 0 where the driver says N/A. */
function parseMebibytes(text: string): number {
  const match = /^(\d+) MiB$/.exec(text);
  return match?.[1] === undefined ? 0 : Number(match[1]) * mebibyte;
}

/** Pure text -> GPUs; null when the text is not such a report. Entities are not looked at. */
export function parseNvidiaSmi(xml: string): readonly GpuFacts[] | null {
  const parser = new XMLParser({
    parseTagValue: false,
    ignoreAttributes: false,
    processEntities: false,
    // One GPU must give a list too.
    isArray: (_name, path) => path === 'nvidia_smi_log.gpu',
  });
  try {
    const { nvidia_smi_log: log } = logSchema.parse(parser.parse(xml));
    return log.gpu.map((gpu) => ({
      name: gpu.product_name,
      uuid: gpu.uuid ?? gpu['@_id'],
      memoryBytes: parseMebibytes(gpu.fb_memory_usage?.total ?? ''),
      driver: log.driver_version,
    }));
  } catch {
    return null;
  }
}
