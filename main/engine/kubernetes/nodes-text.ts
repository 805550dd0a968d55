import type { V1Node } from '@kubernetes/client-node';

/** Resources of devices have the vendor's domain: "nvidia.com/gpu", "nvidia.com/mig-1g.10gb". */
const isGpu = (name: string): boolean => /^(nvidia|amd|gpu\.intel)\.com\//.test(name);

const amountOf = (text: string): number => (/^\d+$/.test(text) ? Number(text) : 0);

/** "3 nodes, 8 nvidia.com/gpu". */
export function nodesText(nodes: readonly V1Node[]): string {
  const gpus = new Map<string, number>();
  for (const { status, spec } of nodes) {
    if (spec?.unschedulable === true) continue;
    for (const [name, amount] of Object.entries(status?.allocatable ?? {})) {
      if (isGpu(name)) gpus.set(name, (gpus.get(name) ?? 0) + amountOf(amount));
    }
  }
  const devices = [...gpus].filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`);
  return [`${nodes.length} node${nodes.length === 1 ? '' : 's'}`, ...devices].join(', ');
}
