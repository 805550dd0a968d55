import { type NewHost, newHostSchema } from '../../../main/contract/host/hosts';
import { asSentence } from '../../format/words';

export interface HostForm {
  readonly name: string;
  readonly address: string;
  readonly certificates: string;
}
export const emptyForm: HostForm = { name: '', address: '', certificates: '' };

type Problems = Readonly<Partial<Record<keyof HostForm, string>>>;

const sentence = (text: string): string => asSentence(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);

/** The host, or the problem of each field that is filled in. */
export function readForm(
  form: HostForm,
  taken: readonly string[],
): { readonly host: NewHost | null; readonly problems: Problems } {
  const [name, address, certificates] = [form.name.trim(), form.address.trim(), form.certificates.trim()];
  const usesTls = address.startsWith('tcp://') && certificates !== '';
  const parsed = newHostSchema.safeParse({ name, address, ...(usesTls ? { certificates } : {}) });
  const used = taken.includes(name);
  if (parsed.success && !used) return { host: parsed.data, problems: {} };
  const filled: Readonly<Record<string, string>> = { name, address, certificates };
  const issues = parsed.success
    ? []
    : parsed.error.issues.flatMap(({ path, message }) => {
        const field = String(path[0]);
        return (filled[field] ?? '') === '' ? [] : [[field, sentence(message)] as const];
      });
  const problems: Problems = Object.fromEntries(issues);
  return {
    host: null,
    problems: used ? { ...problems, name: 'A host with this name already exists.' } : problems,
  };
}
