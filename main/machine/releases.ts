import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { later } from '../contract/later';
import { parseYaml } from '../platform/parse-yaml';

/** Compares numerically, so that 525.85 is before 525.105. Missing parts are zero; other parts are ignored. */
export function compareVersions(a: string, b: string): number {
  const left = parts(a);
  const right = parts(b);
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** "535" of "535.86.10". */
export function majorOf(version: string): number {
  return parts(version)[0] ?? 0;
}

function parts(version: string): readonly number[] {
  return (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
}

const version = z.string().regex(/^\d+(\.\d+)*([a-z]\d+)?(\+\w+)?$/, 'a version, as 12.6.2');
const dotted = z.string().regex(/^\d+(\.\d+)*$/, 'numbers and dots, as 535.86');
const releaseName = z.string().regex(/^\d\d\.\d\d$/, 'must be a release such as 26.07');

/** Default release: the first without published flaws in `resources/images/releases.yaml`. */
export const defaultRelease = '26.07';

/** First release with --http-address, which the workbench needs. */
const oldestRelease = '22.04';
/** First release with PyTorch 2.5, which the toolkit needs. */
const oldestClientRelease = '24.10';

/** Completes "its Triton has no …"; null if supported. @param buildsClient the client is built on its PyTorch image */
export function releaseFault(release: string, buildsClient: boolean) {
  if (compareVersions(release, oldestRelease) < 0) {
    return {
      reason: 'its Triton has no option --http-address',
      remedy: `Choose release ${buildsClient ? oldestClientRelease : oldestRelease} or later.`,
    };
  }
  if (!buildsClient || compareVersions(release, oldestClientRelease) >= 0) return null;
  return {
    reason: `${oldestClientRelease} is the oldest release whose PyTorch is known to be 2.5, which the client image needs`,
    remedy: `Choose release ${oldestClientRelease} or later, or name a client image of your own.`,
  };
}

const releaseSchema = later(() =>
  z.strictObject({
    release: releaseName,
    tritonVersion: version.nullable(),
    cuda: dotted.nullable(),
    driver: dotted.nullable(),
    dataCentreDrivers: z.array(dotted),
    excludedBranches: z.array(dotted),
    computeCapability: dotted.nullable(),
    architectures: z.array(z.string().min(1)),
    tensorrt: dotted.nullable(),
    pytorch: version.nullable(),
    python: dotted.nullable(),
    notes: z.string().nullable(),
    sources: z.array(z.url()).min(1),
  }),
);

const releasesSchema = later(() =>
  z
    .strictObject({
      cuda: z.strictObject({
        source: z.string().min(1),
        majors: z.array(
          z.strictObject({
            major: z.int().min(1),
            driver: dotted,
            computeCapability: dotted.nullable(),
            forward: dotted.nullable(),
          }),
        ),
        toolkits: z.array(z.strictObject({ cuda: dotted, driver: dotted })),
      }),
      dataCentreGpus: z.strictObject({ source: z.string().min(1), names: z.array(z.string().min(1)) }),
      tensorflowBackend: z.strictObject({ source: z.url(), newestRelease: releaseName }),
      security: z.strictObject({
        source: z.url(),
        floor: releaseName,
        bulletins: z.array(
          z.strictObject({
            id: z.int(),
            published: z.iso.date(),
            fixedIn: releaseName,
            severity: z.enum(['critical', 'high']),
          }),
        ),
      }),
      releases: z.array(releaseSchema).min(1),
    })
    .refine(
      ({ releases }) =>
        releases.every(({ release }, i) => {
          const older = releases[i + 1];
          return older === undefined || compareVersions(release, older.release) > 0;
        }),
      { path: ['releases'], message: 'newest first, each once' },
    ),
);

/** Newest first, with common facts. */
export type Releases = z.infer<typeof releasesSchema>;
export type Release = z.infer<typeof releaseSchema>;

/** `resources/images/releases.yaml`. Throws `config-invalid`. */
export function parseReleases(text: string): Releases {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (cause) {
    throw new WorkbenchError('config-invalid', 'The table of releases is not YAML', { cause });
  }
  const parsed = releasesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new WorkbenchError(
    'config-invalid',
    `The table of releases: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`,
  );
}

/** Throws `config-invalid` for a missing or invalid file. */
export async function readReleases(resourcesDir: string): Promise<Releases> {
  const path = join(resourcesDir, 'images', 'releases.yaml');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new WorkbenchError('config-invalid', 'The table of releases cannot be read', {
      where: path,
      cause,
    });
  });
  return parseReleases(text);
}

/** NVIDIA's registry; settings may name a mirror. */
export const ngcRegistry = 'nvcr.io/nvidia';

/** "26.07" of "nvcr.io/nvidia/tritonserver:26.07-py3-sdk", or null. @param registry NVIDIA's or a mirror */
export function releaseOf(reference: string, registry: string = ngcRegistry): string | null {
  const own = [ngcRegistry, registry].find((one) => reference.startsWith(`${one}/`));
  const name = own === undefined ? '' : reference.slice(own.length + 1);
  return /^[\w.-]+:(\d\d\.\d\d)(?:-[\w.-]+)?(?:@sha256:[0-9a-f]+)?$/.exec(name)?.[1] ?? null;
}
