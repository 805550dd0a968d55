import { z } from 'zod';

const size = z.number().nonnegative().nullable();
/** The contract's GpuReport, with nothing more and no number that is none. */
export const gpuReportSchema = z.strictObject({
  driverVersion: z.string().nullable(),
  cudaVersion: z.string().nullable(),
  problem: z.string().nullable(),
  gpus: z.array(
    z.strictObject({
      index: z.int(),
      name: z.string().min(1),
      uuid: z.string().nullable(),
      busId: z.string().min(1),
      architecture: z.string().nullable(),
      computeCapability: z.string().nullable(),
      memoryTotalBytes: size,
      load: z.strictObject({
        gpuPercent: size,
        memoryPercent: size,
        memoryUsedBytes: size,
        powerDrawW: size,
        temperatureC: size,
        smClockMHz: size,
      }),
      powerLimitW: size,
      maxClocks: z.strictObject({ smMHz: size, memoryMHz: size }),
      performanceState: z.string().nullable(),
      ecc: z.strictObject({ enabled: z.boolean().nullable(), uncorrectedVolatile: size }),
      mig: z.strictObject({
        enabled: z.boolean().nullable(),
        devices: z.array(
          z.strictObject({
            index: z.int(),
            gpuInstanceId: z.int(),
            computeInstanceId: z.int(),
            uuid: z.string().nullable(),
            multiprocessors: size,
            memoryTotalBytes: size,
            memoryUsedBytes: size,
          }),
        ),
      }),
      processes: z.array(
        z.strictObject({ pid: z.int(), name: z.string(), type: z.string(), usedMemoryBytes: size }),
      ),
    }),
  ),
});
