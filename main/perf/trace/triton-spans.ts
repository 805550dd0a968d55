import { isTraceMark, type TracedSpan } from '../../domain/measured/slow/traced-span';
import type { TraceRecord } from '../replay/trace-records';
import { type FoundSpan, nameOf, requireFew, rootsOf, traceProblem } from './found-spans';

/** Requests of Triton's own trace file: several objects each, which an id holds together, in any order. */
export class TritonSpans {
  private readonly spans = new Map<number, FoundSpan<number>>();

  constructor(private readonly file: string) {}

  /** Throws input-invalid. */
  add(record: TraceRecord, where: string): void {
    const { id, model_name: model, request_id: requestId, parent_id: parent, timestamps } = record;
    const span = this.spanOf(id, where);
    if (model !== undefined) span.model = nameOf(model, where, '"model_name"');
    if (requestId !== undefined && requestId !== '')
      span.requestId = nameOf(requestId, where, '"request_id"');
    if (parent !== undefined && parent !== 0) span.parent = idOf(parent, where, '"parent_id"');
    // Tensors, and activities of a model's own.
    if (!Array.isArray(timestamps)) return;
    for (const stamp of timestamps as readonly unknown[]) {
      const { name, ns } = (stamp ?? {}) as TraceRecord;
      if (typeof name !== 'string' || !isTraceMark(name)) continue;
      if (typeof ns !== 'number' || !Number.isFinite(ns)) {
        throw traceProblem(where, `The time stamp ${name} has no time`, remedy);
      }
      span.marks.push({ name, atUs: ns / 1000 });
    }
  }

  /** Throws input-invalid. */
  roots(): readonly TracedSpan[] {
    return rootsOf(this.spans.values(), this.file);
  }

  private spanOf(given: unknown, where: string): FoundSpan<number> {
    const id = idOf(given, where, '"id"');
    const known = this.spans.get(id);
    if (known !== undefined) return known;
    const span: FoundSpan<number> = { id, model: null, requestId: null, parent: null, marks: [] };
    this.spans.set(id, span);
    requireFew(this.spans.size, this.file);
    return span;
  }
}

const remedy = 'Check that the file is a trace of Triton and complete.';

function idOf(value: unknown, where: string, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw traceProblem(where, `The member ${what} is not a number`, remedy);
}
