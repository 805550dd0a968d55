import { isJobEngine } from '../contract/job/run-job';
import { parseRemoteUrl } from '../contract/remote-url';
import type { DockerEngineSpec, Format, RunSpec } from '../contract/run/run-spec';
import { imageFamily } from '../contract/run/serving';
import { sharedMemoryOf } from '../contract/run/sweep';
import { releaseOf } from '../machine/releases';
import type { HomeLayout } from '../platform/layout';
import { usualRelease } from './docker/run-images';
import { allowsClientSharedMemory, containerPorts, tritonCommand } from './docker/triton-command';
import type { ServerHandle } from './engine';
import { inContainerOf } from './job-triton';
import { serverArguments } from './local/server-command';

export type ServerPrograms = Pick<HomeLayout, 'tritonServer' | 'tritonBackends'>;

interface PlannedServer {
  /** null: it runs already. */
  readonly command: readonly string[] | null;
  readonly forClients: ServerHandle['forClients'];
}

/** Of the Triton image, as far as its name says; null where it does not, and of one that is built here. */
function plannedRelease(engine: DockerEngineSpec, format: Format): string | null {
  if (engine.tritonImage !== undefined) return releaseOf(engine.tritonImage);
  return imageFamily(engine) === 'ngc' ? (engine.release ?? usualRelease(format)) : null;
}

/**
 * The Triton of a run to come, as its engine will start it; in a container as it runs inside. Ports that the system chooses
 * stand as <http-port> and <grpc-port>. Throws input-invalid for a remote address that cannot be read.
 */
export function plannedServer(
  { engine, format, performance }: RunSpec,
  run: { readonly runId: string; readonly repository: string; readonly programs: ServerPrograms },
): PlannedServer {
  const loopback = (http: string | number, grpc: string | number) => ({
    httpAddress: `127.0.0.1:${http}`,
    grpcAddress: `127.0.0.1:${grpc}`,
  });
  switch (engine.kind) {
    case 'remote': {
      const { http, grpc, secure } = parseRemoteUrl(engine.url);
      const tls = secure ? (engine.tls ?? {}) : undefined;
      return {
        command: null,
        forClients: { httpAddress: http, grpcAddress: grpc, httpTls: tls, grpcTls: tls },
      };
    }
    case 'docker': {
      const release = plannedRelease(engine, format);
      return {
        command: tritonCommand({
          builtHere: imageFamily(engine) === 'cpu' && engine.tritonImage === undefined,
          gpus: engine.gpus.length > 0,
          release,
          clientSharedMemory: allowsClientSharedMemory(sharedMemoryOf(performance), release),
        }),
        forClients: loopback(containerPorts.http, containerPorts.grpc),
      };
    }
    case 'slurm':
    case 'kubernetes':
    case 'local': {
      const inContainer = isJobEngine(engine) ? inContainerOf(engine) : null;
      const { repository, programs } = run;
      const command = serverArguments({
        program: inContainer === null ? programs.tritonServer : 'tritonserver',
        backends: inContainer === null ? programs.tritonBackends : null,
        repository,
        engineId: run.runId,
        httpPort: engine.httpPort,
        grpcPort: engine.grpcPort,
      });
      return {
        command: inContainer === null ? command : inContainer(command, repository),
        forClients: loopback(engine.httpPort ?? '<http-port>', engine.grpcPort ?? '<grpc-port>'),
      };
    }
  }
}
