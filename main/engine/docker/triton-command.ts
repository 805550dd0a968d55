/** Inside the container: the ports that Triton has by default. */
export const containerPorts = { http: 8000, grpc: 8001, metrics: 8002 } as const;

export interface TritonCommandInput {
  /** The image was built here from the PyPI wheel: its backends lie elsewhere. */
  readonly builtHere: boolean;
  readonly gpus: boolean;
  /** Triton is to be told that it may take memory of its clients; see `allowsClientSharedMemory`. */
  readonly clientSharedMemory?: boolean;
}

/** Triton on the repository at `/models`. It listens on all addresses of the container, as ports are published to them; its network lets nothing else in. */
export function tritonCommand(input: TritonCommandInput): [string, ...string[]] {
  return [
    'tritonserver',
    '--model-repository=/models',
    '--model-control-mode=explicit',
    '--http-address=0.0.0.0',
    `--http-port=${containerPorts.http}`,
    '--grpc-address=0.0.0.0',
    `--grpc-port=${containerPorts.grpc}`,
    `--metrics-port=${containerPorts.metrics}`,
    // The configuration is written whole: nothing is to be added to it. Of other images the release may not know the flag.
    ...(input.builtHere
      ? ['--backend-directory=/opt/workbench/triton/backends', '--disable-auto-complete-config']
      : []),
    ...(input.gpus ? [] : ['--allow-gpu-metrics=false']),
    ...(input.clientSharedMemory === true ? ['--allow-client-shm=true'] : []),
    '--exit-timeout-secs=5',
  ];
}
