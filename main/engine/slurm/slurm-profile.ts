import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../../contract/errors';
import { type SlurmEngineSpec, slurmRequestShape } from '../../contract/job/slurm-engine';
import { parseYaml } from '../../platform/parse-yaml';
import { readBoundedFile } from '../../platform/read-bounded-file';

const profileSchema = z.strictObject(slurmRequestShape);
type SlurmProfile = z.infer<typeof profileSchema>;

const profilesSchema = z.strictObject({
  /** The profile of runs that name none. */
  default: z.string().optional(),
  profiles: z.record(z.string(), profileSchema),
});

const mostBytes = 64 * 1024;

const invalid = (where: string, message: string, remedy: string): WorkbenchError =>
  new WorkbenchError('input-invalid', message, { where, remedy });

/** Throws input-invalid naming the field. */
function checked<Value>(schema: z.ZodType<Value>, value: unknown, file: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  const message = `The Slurm profile is not valid: ${field === '' ? '' : `${field}: `}${issue?.message ?? ''}`;
  throw invalid(file, message, 'Fix the field in the file.');
}

/** null: there is no such file. Throws input-invalid. */
async function readFile(file: string): Promise<unknown> {
  const found = await readBoundedFile(file, mostBytes, { links: 'follow' });
  if ('problem' in found) {
    if (found.problem === 'it does not exist') return null;
    throw invalid(file, `The Slurm profiles cannot be read: ${found.problem}`, 'Fix or remove the file.');
  }
  try {
    return parseYaml(found.text) ?? {};
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(file, `The Slurm profiles cannot be read: ${reason}`, 'Fix or remove the file.');
  }
}

async function profileOf(name: string | undefined, file: string): Promise<SlurmProfile> {
  if (name !== undefined && isAbsolute(name)) {
    const content = await readFile(name);
    if (content === null) throw invalid(name, 'The Slurm profile does not exist', 'Check the path.');
    return checked(profileSchema, content, name);
  }
  const content = await readFile(file);
  if (content === null && name === undefined) return {};
  const { profiles, default: usual } = checked(profilesSchema, content ?? { profiles: {} }, file);
  const wanted = name ?? usual;
  if (wanted === undefined) return {};
  if (Object.hasOwn(profiles, wanted)) return profiles[wanted] ?? {};
  const known = Object.keys(profiles).join(', ');
  const remedy =
    known === '' ? 'Write the file, or give the options themselves.' : `Its profiles are ${known}.`;
  throw invalid(file, `There is no Slurm profile "${wanted}"`, remedy);
}

/**
 * The engine with what its profile adds to the fields that it does not set itself: the run's specification has all of it, so
 * that a later change of the profile changes no run.
 * @param file `slurm.yaml` of the home
 * Throws input-invalid naming file and field.
 */
export async function withProfile(engine: SlurmEngineSpec, file: string): Promise<SlurmEngineSpec> {
  const profile = await profileOf(engine.profile, file);
  const options = { ...profile.options, ...engine.options };
  return { ...profile, ...engine, ...(Object.keys(options).length === 0 ? {} : { options }) };
}
