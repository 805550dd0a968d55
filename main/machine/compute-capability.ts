// Source: "CUDA GPU Compute Capability", developer.nvidia.com/cuda-gpus and its page of legacy GPUs.
// The first pattern that fits decides: Quadro RTX 6000, RTX A6000, RTX 6000 Ada and RTX PRO 6000 are four generations.
const capabilities: readonly (readonly [capability: string, name: RegExp])[] = [
  ['7.5', /\bQuadro RTX \d{4}\b|\bTITAN RTX\b/],
  ['12.0', /\bRTX PRO \d{3,4}\b/],
  ['8.9', /\bRTX \d{4}(?: SFF)? Ada\b/],
  ['8.6', /\bRTX A\d{3,4}\b/],
  // The one mobile part of the 20 series with a chip of the 30 series.
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

/** "8.0" of "NVIDIA A100-SXM4-80GB"; null for a product that the table does not know. */
export function computeCapabilityOf(productName: string): string | null {
  return capabilities.find(([, name]) => name.test(productName))?.[0] ?? null;
}
