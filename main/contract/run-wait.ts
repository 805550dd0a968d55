import { z } from 'zod';

/**
 * What a run waits for: its turn on the device, room on a disk, or the Docker Engine. Nobody has to do anything to the
 * run: it continues by itself.
 */
export const waitReasons = ['device', 'disk', 'engine'] as const;
export type WaitReason = (typeof waitReasons)[number];

export const runWaitSchema = z.object({
  reason: z.enum(waitReasons),
  /**
   * `device`: the id of the run, or the other work in words, that measures there now. `disk`: "space on /data: at least
   * 1.2 GiB must be free, 30.0 MiB are". `engine`: "the Docker Engine at unix:///var/run/docker.sock".
   */
  what: z.string(),
});
export type RunWait = Readonly<z.infer<typeof runWaitSchema>>;

const remedies: Readonly<Record<WaitReason, string>> = {
  device: 'One run measures on a device at a time, so that neither slows the other.',
  disk: 'Free some space there. The run looks every 10 s and continues by itself.',
  engine: 'Start it, for example with "systemctl start docker". The run continues by itself.',
};

/** "Waiting for space on /data: at least 1.2 GiB must be free, 30.0 MiB are." */
export const waitText = ({ what }: RunWait): string => `Waiting for ${what}.`;

/** What to do about it, or why it is so. */
export const waitRemedy = ({ reason }: RunWait): string => remedies[reason];

/** For a row of a list. */
export const shortWaitText: Readonly<Record<WaitReason, string>> = {
  device: 'Queued behind another run',
  disk: 'Waiting for disk space',
  engine: 'Waiting for the Docker Engine',
};
