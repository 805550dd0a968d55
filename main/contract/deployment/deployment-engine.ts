import { z } from 'zod';
import { hostNameSchema } from '../host/host-name';

/** Serves repositories as they are: Triton completes configurations. Absent: configurations that the workbench wrote. */
const asIs = z.literal(true).optional();

/** Where a deployment serves. The image is exactly the one that its runs were verified with. */
export const deploymentEngineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('local'),
    /** Selects the Python environment of its models. */
    framework: z.enum(['pyt', 'tf']),
    /** Folder of another serving environment; absent: that of the home. */
    environment: z.string().optional(),
    asIs,
  }),
  z.object({
    kind: z.literal('docker'),
    /** Docker Engine of this host; absent: this machine's. */
    host: hostNameSchema.optional(),
    imageId: z.string(),
    image: z.string(),
    builtHere: z.boolean(),
    gpus: z.array(z.string()),
    shmSizeMiB: z.int().min(1),
    /** Address of its machine that the ports are published on. */
    listen: z.string(),
    asIs,
  }),
]);
export type DeploymentEngine = z.infer<typeof deploymentEngineSchema>;
