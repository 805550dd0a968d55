import { z } from 'zod';
import type { WireError } from './errors';

export const containerRoles = ['triton', 'client', 'deployment'] as const;
export type ContainerRole = (typeof containerRoles)[number];

export const containerStates = [
  'created',
  'running',
  'paused',
  'restarting',
  'removing',
  'exited',
  'dead',
] as const;
export type ContainerState = (typeof containerStates)[number];

/** A container of this workbench; others are never listed. */
export interface ContainerInfo {
  readonly id: string;
  readonly name: string;
  readonly role: ContainerRole;
  readonly runId: string;
  readonly step: string;
  readonly state: ContainerState;
  /** Docker's own words: "Up 3 minutes", "Exited (137) 5 seconds ago". */
  readonly status: string;
  readonly image: string;
  readonly imageId: string;
  readonly ports: readonly {
    readonly containerPort: number;
    /** "127.0.0.1:49153"; null where the port is not published. */
    readonly hostAddress: string | null;
  }[];
  /** GPU or MIG ids asked for; "all" for every GPU. */
  readonly gpus: readonly string[];
  readonly createdAt: string;
  readonly shellCommand: string;
}

export interface ContainerStats {
  readonly id: string;
  /** 100 = one processor. */
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
  readonly memoryLimitBytes: number | null;
}

/** Connection to the Docker Engine, and the workbench's containers as last listed. */
export interface DockerState {
  readonly connection: 'connected' | 'connecting' | 'unavailable';
  readonly host: string;
  /** Why there is no connection; null while there is one. */
  readonly error: WireError | null;
  readonly containers: readonly ContainerInfo[];
  /** Time of the last answer, ISO 8601; null before the first. */
  readonly listedAt: string | null;
}

/** Images that the workbench builds from `resources/docker`. */
export const builtImages = ['triton-cpu', 'client-cpu', 'client-gpu'] as const;
export type BuiltImage = (typeof builtImages)[number];

export interface ImageInfo {
  readonly id: string;
  readonly tags: readonly string[];
  /** "name@sha256:…" of the registry; empty for images built here. */
  readonly digests: readonly string[];
  readonly sizeBytes: number;
  readonly createdAt: string;
  /** `build`: layers that a build leaves; null: an image that is not the workbench's and only listed. */
  readonly use: 'triton' | 'client' | 'build' | null;
  readonly containerCount: number;
}

export interface ImageWork {
  readonly id: string;
  readonly kind: 'pull' | 'build';
  readonly image: string;
  readonly status: 'running' | 'done' | 'failed' | 'cancelled';
  /** 0 to 1 over all known layers; null while nothing is known. */
  readonly fraction: number | null;
  /** "Downloading, 120 of 480 MiB", "Step 4 of 9". */
  readonly text: string;
  readonly lines: readonly string[];
  readonly error: WireError | null;
}

/** Held in memory, or in the desktop's key ring; never on disk unencrypted. */
export const registryLoginSchema = z.strictObject({
  registry: z.string().min(1).max(253),
  username: z.string().max(256),
  password: z.string().max(4096),
  keep: z.boolean(),
});
export type RegistryLogin = z.infer<typeof registryLoginSchema>;

export const imageReferenceSchema = z
  .string()
  .max(512)
  .regex(/^[\w][\w.\-:/@]*$/, 'must be an image reference such as name:tag or name@sha256:…');
