import { z } from 'zod';

const usedImageSchema = z.lazy(() =>
  z.object({
    role: z.enum(['triton', 'client']),
    reference: z.string(),
    /** Digest of the image's configuration, "sha256:…". */
    id: z.string(),
    /** "name@sha256:…" of the registry; null for an image built here. */
    digest: z.string().nullable(),
    /** Earlier image of the same reference in this home, where it changed: digest, or id where it had none. */
    movedFrom: z.string().optional(),
  }),
);
export type UsedImage = z.infer<typeof usedImageSchema>;

export const environmentSchema = z.lazy(() =>
  z.object({
    workbenchVersion: z.string(),
    engine: z.string(),
    /** "Triton Inference Server 2.51.0 (PyPI wheel, CPU)"; null before deploy. */
    tritonVersion: z.string().nullable(),
    /** A server that is not Triton, as it calls itself, with its version: "mlserver 1.7.1"; absent: Triton. */
    server: z.string().max(200).optional(),
    /** Image with digest; null without containers. */
    image: z.string().nullable(),
    /** Every image of the run; empty without containers. */
    images: z.array(usedImageSchema).default([]),
    os: z.string(),
    cpu: z.string(),
    cpuCount: z.int(),
    memoryBytes: z.int(),
    gpus: z.array(z.object({ name: z.string(), uuid: z.string(), memoryBytes: z.int(), driver: z.string() })),
    /** Version by package name: torch, onnx, onnxruntime, ... */
    packages: z.record(z.string(), z.string()),
  }),
);
export type Environment = z.infer<typeof environmentSchema>;
