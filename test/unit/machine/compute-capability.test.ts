import { describe, expect, it } from 'vitest';
import { computeCapabilityOf } from '../../../main/machine/compute-capability';

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
