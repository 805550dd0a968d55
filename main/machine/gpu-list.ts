/** UUIDs of MIG devices by the UUID of their GPU and their index on it. */
type MigUuids = ReadonlyMap<string, ReadonlyMap<number, string>>;

/** What `nvidia-smi -L` printed; lines that are neither a GPU nor a MIG device are skipped. */
export function parseGpuList(text: string): MigUuids {
  const found = new Map<string, Map<number, string>>();
  let devices: Map<number, string> | undefined;
  for (const line of text.split('\n')) {
    const gpu = /^GPU \d+: .*\(UUID: (GPU-[^)]+)\)\s*$/.exec(line);
    const mig = /^ +MIG \S+ +Device +(\d{1,3}): \(UUID: (MIG-[^)]+)\)/.exec(line);
    if (gpu?.[1] !== undefined) {
      devices = new Map();
      found.set(gpu[1], devices);
    } else if (mig?.[1] !== undefined && mig[2] !== undefined) {
      devices?.set(Number(mig[1]), mig[2]);
    }
  }
  return found;
}
