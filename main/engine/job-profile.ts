import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { invalidInput } from '../contract/errors';
import { type JobEngineKind, jobEngineSchemas } from '../contract/job/job-engines';
import { engineWords } from '../contract/run/engine-kinds';
import type { RunSpec } from '../contract/run/run-spec';
import { parseYaml } from '../platform/parse-yaml';
import { readBoundedFile } from '../platform/plain-entry';
type JobEngineSpec = Extract<RunSpec['engine'], { kind: JobEngineKind }>;
/** Fields that a profile can set. */
type Profile = {
  [Kind in JobEngineKind]: z.infer<
    z.ZodObject<ReturnType<(typeof jobEngineSchemas)[Kind]['request']>, z.core.$strict>
  >;
}[JobEngineKind];

const profilesOf = (shape: z.ZodType<Profile>) =>
  z.strictObject({
    default: z.string().optional(),
    profiles: z.record(z.string(), shape),
  });

const mostBytes = 64 * 1024;

/** Throws input-invalid, naming the field. */
function checked<Value>(schema: z.ZodType<Value>, value: unknown, { file, title }: ProfileFile): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  const message = `The ${title} profile is not valid: ${field === '' ? '' : `${field}: `}${issue?.message ?? ''}`;
  throw invalidInput(file, message, 'Fix the field in the file.');
}

interface ProfileFile {
  readonly file: string;
  readonly title: string;
}

/** null if the file does not exist. Throws input-invalid. */
async function readFile({ file, title }: ProfileFile): Promise<unknown> {
  const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
  const unreadable = (reason: string) =>
    invalidInput(file, `The ${title} profiles cannot be read: ${reason}`, 'Fix or remove the file.');
  if ('problem' in found) {
    if (found.problem === 'it does not exist') return null;
    throw unreadable(found.problem);
  }
  try {
    return parseYaml(found.text) ?? {};
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error));
  }
}

async function profileOf({ kind, profile: name }: JobEngineSpec, file: string): Promise<Profile> {
  const title = engineWords(kind).name;
  const shape: z.ZodType<Profile> = z.strictObject(jobEngineSchemas[kind].request());
  if (name !== undefined && isAbsolute(name)) {
    const content = await readFile({ file: name, title });
    if (content === null) throw invalidInput(name, `The ${title} profile does not exist`, 'Check the path.');
    return checked(shape, content, { file: name, title });
  }
  const content = await readFile({ file, title });
  if (content === null && name === undefined) return {};
  const { profiles, default: usual } = checked(profilesOf(shape), content ?? { profiles: {} }, {
    file,
    title,
  });
  const wanted = name ?? usual;
  if (wanted === undefined) return {};
  if (Object.hasOwn(profiles, wanted)) return profiles[wanted] ?? {};
  const known = Object.keys(profiles).join(', ');
  const remedy =
    known === '' ? 'Write the file, or give the options themselves.' : `Its profiles are ${known}.`;
  throw invalidInput(file, `There is no ${title} profile "${wanted}"`, remedy);
}

/**
 * Fills fields that the specification leaves open from its profile, so that later changes of the profile do not affect
 * the run.
 * @param home contains the profiles of each engine: `slurm.yaml`
 * @returns the profile as well, because profiles of the home are written by its user
 * Throws input-invalid naming file and field.
 */
export async function withProfile<Given extends JobEngineSpec>(
  engine: Given,
  home: string,
): Promise<{ readonly engine: Given; readonly profile: Profile }> {
  const profile = await profileOf(engine, join(home, `${engine.kind}.yaml`));
  const options = {
    ...('options' in profile ? profile.options : {}),
    ...('options' in engine ? engine.options : {}),
  };
  return {
    engine: { ...profile, ...engine, ...(Object.keys(options).length === 0 ? {} : { options }) },
    profile,
  };
}
