import { invalidInput, type WorkbenchError } from '../../contract/errors';
import { fileLimits } from '../../contract/reader-limits';
import type { Mark, TracedSpan } from '../../domain/measured/slow/traced-span';

/** Models that call models that call models. */
const deepest = 16;
const longestName = 256;

export const traceProblem = (where: string, message: string, remedy: string): WorkbenchError =>
  invalidInput(where, message, remedy);

/** A request as a file has it, before it is put below the one that sent it. */
export interface FoundSpan<Id> {
  readonly id: Id;
  model: string | null;
  requestId: string | null;
  /** null: asked from outside. */
  parent: Id | null;
  readonly marks: Mark[];
}

/** A model's or request's name. Throws input-invalid. */
export function nameOf(value: unknown, where: string, what: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= longestName) return value;
  throw traceProblem(
    where,
    `The ${what} is not a name of at most ${longestName} characters`,
    'Check that the file is a trace of Triton and complete.',
  );
}

/** Throws input-invalid. */
export function requireFew(count: number, file: string): void {
  if (count <= fileLimits.trace.requests) return;
  throw traceProblem(
    file,
    `The trace has more than ${fileLimits.trace.requests} requests`,
    'Open a shorter one; --trace-config count=N limits it.',
  );
}

/** Requests from outside with those below them; what is below an unknown one is left out. Throws input-invalid. */
export function rootsOf<Id>(found: Iterable<FoundSpan<Id>>, file: string): readonly TracedSpan[] {
  const below = new Map<Id, FoundSpan<Id>[]>();
  const roots: FoundSpan<Id>[] = [];
  for (const span of found) {
    if (span.model === null) continue;
    if (span.parent === null) roots.push(span);
    else {
      const known = below.get(span.parent);
      if (known === undefined) below.set(span.parent, [span]);
      else known.push(span);
    }
  }
  const spanOf = ({ id, model, requestId, marks }: FoundSpan<Id>, depth: number): TracedSpan => {
    if (depth > deepest) {
      throw traceProblem(
        file,
        `Requests are nested deeper than ${deepest} models`,
        'Check that the file is a trace of Triton and complete.',
      );
    }
    const children = (below.get(id) ?? []).map((child) => spanOf(child, depth + 1));
    return { model: model ?? '', requestId, marks, children };
  };
  return roots.map((root) => spanOf(root, 1));
}
