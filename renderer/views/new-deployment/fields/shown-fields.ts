import type { Field } from './field';

export interface IdleGroup {
  readonly reason: string;
  readonly fields: readonly Field[];
}

/** Changed fields stay shown although they have no effect, so that they can be reset. */
export function shownFields(
  fields: readonly Field[],
  isKept: (field: Field) => boolean,
): { readonly shown: readonly Field[]; readonly idle: readonly IdleGroup[] } {
  const isHidden = (field: Field): boolean => field.idle !== undefined && !isKept(field);
  const groups = new Map<string, Field[]>();
  for (const field of fields) {
    if (!isHidden(field)) continue;
    const reason = field.idle ?? '';
    groups.set(reason, [...(groups.get(reason) ?? []), field]);
  }
  return {
    shown: fields.filter((field) => !isHidden(field)),
    idle: [...groups].map(([reason, of]) => ({ reason, fields: of })),
  };
}

const onlyWith = 'Applies only with ';

/** "3 settings apply only with request rates". */
export function idleText({ reason, fields }: IdleGroup): string {
  const [count, apply, have] =
    fields.length === 1 ? ['1 setting', 'applies', 'has'] : [`${fields.length} settings`, 'apply', 'have'];
  return reason.startsWith(onlyWith)
    ? `${count} ${apply} only with ${reason.slice(onlyWith.length).replace(/\.$/, '')}`
    : `${count} ${have} no effect: ${reason.replace(/\.$/, '')}`;
}
