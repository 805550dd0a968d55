import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuFacts } from '../../../main/contract/machine';
import { computeCapabilityOf, parseNvidiaSmi } from '../../../main/machine/nvidia-smi';
import { readCapture } from './captures';
import { expectedFacts } from './expected-facts';
import { gpuReportSchema } from './gpu-report-schema';

const mebibyte = 1024 * 1024;

function parseWhole(xml: string) {
  const report = parseNvidiaSmi(xml);
  if (report === null) throw new Error('no report');
  return report;
}

function firstGpu(xml: string): GpuFacts {
  const [gpu] = parseWhole(xml).gpus;
  if (gpu === undefined) throw new Error('no GPU');
  return gpu;
}

describe('nvidia-smi report', () => {
  it.each(Object.keys(expectedFacts))('%s', async (file) => {
    const wanted = expectedFacts[file];
    expect(parseNvidiaSmi(await readCapture(file))).toEqual({
      driverVersion: wanted?.driverVersion,
      cudaVersion: wanted?.cudaVersion,
      gpus: [wanted?.gpu],
      problem: null,
    });
  });

  it.each([
    'N/A',
    '[N/A]',
    '[Unknown Error]',
    'Unknown Error',
    '[Not Supported]',
    '[GPU is lost]',
    'Requested functionality has been deprecated',
    '',
  ])('knows nothing where the driver says "%s"', async (unknown) => {
    // Every number with a unit, every count, the UUID and the modes of a real capture.
    const xml = (await readCapture('tesla-t4.xml'))
      .replace(/>[\d.]+ (?:MiB|MHz|W|C|%)</g, () => `>${unknown}<`)
      .replace(
        /<(uuid|performance_state|product_architecture|current_ecc|[sd]ram_\w+)>[^<]*</g,
        (_all, name) => {
          return `<${String(name)}>${unknown}<`;
        },
      );
    expect(firstGpu(xml)).toEqual({
      ...expectedFacts['tesla-t4.xml']?.gpu,
      uuid: null,
      architecture: null,
      memoryTotalBytes: null,
      load: {
        gpuPercent: null,
        memoryPercent: null,
        memoryUsedBytes: null,
        powerDrawW: null,
        temperatureC: null,
        smClockMHz: null,
      },
      powerLimitW: null,
      maxClocks: { smMHz: null, memoryMHz: null },
      performanceState: null,
      ecc: { enabled: null, uncorrectedVolatile: null },
      processes: [
        { pid: 675, name: '/usr/lib/xorg/Xorg', type: 'G', usedMemoryBytes: null },
        { pid: 5762, name: 'python', type: 'C', usedMemoryBytes: null },
      ],
    });
  });

  it('takes what is left of the power readings', async () => {
    const xml = await readCapture('rtx-3080-v13.xml');
    const average = xml.replace('142.33 W', '[Unknown Error]');
    expect(firstGpu(average).load.powerDrawW).toBe(139.62);
    expect(firstGpu(average.replace('139.62 W', 'N/A')).load.powerDrawW).toBeNull();
  });

  it('adds up uncorrected ECC errors, in both shapes', async () => {
    const t4 = (await readCapture('tesla-t4.xml'))
      .replace('<sram_uncorrectable>0<', '<sram_uncorrectable>2<')
      .replace('<dram_uncorrectable>0<', '<dram_uncorrectable>3<');
    expect(firstGpu(t4).ecc.uncorrectedVolatile).toBe(5);
    const v100 = await readCapture('tesla-v100s-v11.xml');
    const doubleBit = v100.indexOf('<double_bit>');
    const worn = v100.slice(0, doubleBit) + v100.slice(doubleBit).replace('<total>0<', '<total>7<');
    expect(firstGpu(worn).ecc.uncorrectedVolatile).toBe(7);
  });

  it('reads 16 GPUs, one lost, and none', async () => {
    const whole = await readCapture('tesla-t4.xml');
    const start = whole.indexOf('<gpu id=');
    const end = whole.indexOf('</nvidia_smi_log>');
    const gpu = whole.slice(start, end);
    const log = (gpus: string) => whole.slice(0, start) + gpus + whole.slice(end);
    const many = Array.from({ length: 16 }, (_, index) => gpu.replaceAll('00:1E.0', `00:${10 + index}.0`));
    const { gpus } = parseWhole(log(many.join('')));
    expect(gpus.map(({ index, busId }) => [index, busId])).toEqual(
      many.map((_, index) => [index, `00000000:00:${10 + index}.0`]),
    );
    expect(new Set(gpus.map(({ memoryTotalBytes }) => memoryTotalBytes))).toEqual(
      new Set([15_360 * mebibyte]),
    );

    const lost = gpu.replace('Tesla T4', '[GPU is lost]').replace(/<pci>[\s\S]*<\/pci>/, '');
    expect(parseWhole(log(lost + gpu)).gpus).toMatchObject([
      { index: 0, name: 'unknown GPU', busId: '00000000:00:1E.0', computeCapability: null },
      { index: 1, name: 'Tesla T4' },
    ]);
    expect(parseNvidiaSmi(log(''))).toEqual({
      driverVersion: '515.105.01',
      cudaVersion: '11.7',
      gpus: [],
      problem: 'The NVIDIA driver responds, but detects no GPU.',
    });
  });

  it('overlooks warnings around the report', async () => {
    const xml = await readCapture('tesla-t4.xml');
    expect(parseNvidiaSmi(`Warning: x < y\n${xml}\nWARNING: infoROM is corrupted\n`)).toEqual(
      parseNvidiaSmi(xml),
    );
  });

  it('gives null for whatever else is printed', async () => {
    const whole = await readCapture('tesla-t4.xml');
    const texts = [
      '',
      'hello',
      'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.',
      whole.slice(0, 4000),
      '<nvidia_smi_log></nvidia_smi_log>',
      '</nvidia_smi_log><nvidia_smi_log>',
      '<html><body>502</body></html>',
      `<nvidia_smi_log>${'<supported_clocks>'.repeat(100_000)}</nvidia_smi_log>`,
      `<nvidia_smi_log>${'<a>'.repeat(300_000)}</nvidia_smi_log>`,
      `<nvidia_smi_log>${'<'.repeat(300_000)}</nvidia_smi_log>`,
      `<nvidia_smi_log>${'<!-- '.repeat(100_000)}</nvidia_smi_log>`,
      `<nvidia_smi_log ${'a="b" '.repeat(50_000)}></nvidia_smi_log>`,
      '<nvidia_smi_log><__proto__><driver_version>1</driver_version></__proto__></nvidia_smi_log>',
    ];
    expect(texts.map((text) => parseNvidiaSmi(text))).toEqual(texts.map(() => null));
  });

  it('never throws on 1000 broken captures', { timeout: 120_000 }, async () => {
    // Lists of clocks are the bulk of a capture, and nothing of them is read.
    const captures = await Promise.all(
      Object.keys(expectedFacts).map(async (file) =>
        (await readCapture(file)).replace(/<supported_clocks>[\s\S]*?<\/supported_clocks>/g, ''),
      ),
    );
    const pieces = fc.oneof(
      fc.string(),
      fc.constantFrom('<', '>', '</', '</gpu>', '<gpu>', '<![CDATA[', '<!--', '&lt;', '&x;', '__proto__'),
      fc.constantFrom('constructor', '9'.repeat(400), '-1', '1e999 MiB', '<!DOCTYPE a [', ']>', '\u0000'),
    );
    const edit = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(200), pieces);
    let reports = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...captures),
        fc.array(edit, { minLength: 1, maxLength: 8 }),
        (xml, edits) => {
          const broken = edits.reduce((text, [at, cut, piece]) => {
            const from = Math.floor(at * text.length);
            return text.slice(0, from) + piece + text.slice(from + cut);
          }, xml);
          const report = parseNvidiaSmi(broken);
          if (report === null) return;
          reports += 1;
          gpuReportSchema.parse(report);
        },
      ),
      { numRuns: 1000, seed: 20_261_121 },
    );
    // Otherwise nothing but null would have been looked at.
    expect(reports).toBeGreaterThan(50);
  });
});

describe('compute capability', () => {
  it.each([
    ['Tesla V100-SXM2-16GB', '7.0'],
    ['Tesla V100S-PCIE-32GB', '7.0'],
    ['Tesla T4', '7.5'],
    ['A100-PCIE-40GB', '8.0'],
    ['NVIDIA A100 80GB PCIe', '8.0'],
    ['GRID A100-10C', '8.0'],
    ['NVIDIA A30', '8.0'],
    ['NVIDIA A40', '8.6'],
    ['NVIDIA A40-48Q', '8.6'],
    ['NVIDIA A10', '8.6'],
    ['NVIDIA A10G', '8.6'],
    ['NVIDIA A2', '8.6'],
    ['NVIDIA L4', '8.9'],
    ['NVIDIA L40', '8.9'],
    ['NVIDIA L40S', '8.9'],
    ['NVIDIA H100 80GB HBM3', '9.0'],
    ['NVIDIA H100 PCIe', '9.0'],
    ['NVIDIA H200', '9.0'],
    ['NVIDIA GH200 480GB', '9.0'],
    ['NVIDIA B200', '10.0'],
    ['NVIDIA GB200', '10.0'],
    ['GeForce RTX 2080 Ti', '7.5'],
    ['NVIDIA GeForce RTX 2050', '8.6'],
    ['NVIDIA GeForce RTX 3080', '8.6'],
    ['NVIDIA GeForce RTX 4070 Laptop GPU', '8.9'],
    ['NVIDIA GeForce RTX 5090', '12.0'],
    ['NVIDIA GeForce GTX 1660 Ti', '7.5'],
    ['NVIDIA GeForce GTX 1080 Ti', '6.1'],
    ['Quadro RTX 6000', '7.5'],
    ['NVIDIA RTX A6000', '8.6'],
    ['NVIDIA RTX 6000 Ada Generation', '8.9'],
    ['NVIDIA RTX 4000 SFF Ada Generation', '8.9'],
    ['NVIDIA RTX PRO 6000 Blackwell Server Edition', '12.0'],
    ['Tesla P100-PCIE-16GB', '6.0'],
    ['Tesla P40', '6.1'],
    ['Tesla P4', '6.1'],
    ['Tesla K80', '3.7'],
  ])('%s', (name, capability) => {
    expect(computeCapabilityOf(name)).toBe(capability);
  });

  it.each(['Graphics Device', 'unknown GPU', '', 'NVIDIA GeForce RTX 9090', 'NVIDIA A1000000', 'Tesla T40'])(
    'says nothing of "%s"',
    (name) => {
      expect(computeCapabilityOf(name)).toBeNull();
    },
  );
});
