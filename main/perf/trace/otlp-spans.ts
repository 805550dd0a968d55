import { isTraceMark, type Mark, type TracedSpan } from '../../domain/measured/slow/traced-span';
import type { TraceRecord } from '../replay/trace-records';
import { type FoundSpan, nameOf, requireFew, rootsOf, traceProblem } from './found-spans';

interface RawSpan {
  readonly id: string;
  /** '': none. */
  readonly parent: string;
  /** null: not of a model. */
  readonly model: string | null;
  readonly requestId: string | null;
  readonly marks: readonly Mark[];
}

const remedy = 'Give OTLP in JSON, as the file exporter of the OpenTelemetry Collector writes it.';

const listIn = (record: TraceRecord, ...names: readonly string[]): readonly TraceRecord[] => {
  const value = names.map((name) => record[name]).find((one) => one !== undefined);
  return Array.isArray(value)
    ? (value as readonly unknown[]).filter(
        (one): one is TraceRecord => typeof one === 'object' && one !== null,
      )
    : [];
};

const textIn = (record: TraceRecord, ...names: readonly string[]): string => {
  const value = names.map((name) => record[name]).find((one) => one !== undefined);
  return typeof value === 'string' ? value : '';
};

/** A text attribute, or ''. */
function attributeOf(span: TraceRecord, key: string): string {
  const found = listIn(span, 'attributes').find((attribute) => attribute['key'] === key);
  const value = found?.['value'];
  return typeof value === 'object' && value !== null
    ? textIn(value as TraceRecord, 'stringValue', 'string_value')
    : '';
}

const isDigits = (value: unknown): value is string | number =>
  (typeof value === 'string' && /^\d{1,20}$/.test(value)) ||
  (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);

/** Spans and parents of a walk to the top; a trace of Triton has few. */
const mostSteps = 64;

/** Requests of Triton in OTLP: a root span, one per model, and one per execution below it. Spans of others are left out. */
export class OtlpSpans {
  private readonly spans = new Map<string, RawSpan>();
  /** Nanoseconds since 1970 have more digits than a number holds. */
  private firstNs: bigint | null = null;

  constructor(private readonly file: string) {}

  /** Throws input-invalid. */
  add(record: TraceRecord, where: string): void {
    for (const resource of listIn(record, 'resourceSpans', 'resource_spans')) {
      const scopes = listIn(resource, 'scopeSpans', 'scope_spans', 'instrumentationLibrarySpans');
      for (const span of scopes.flatMap((scope) => listIn(scope, 'spans'))) this.addSpan(span, where);
    }
  }

  /** Throws input-invalid. */
  roots(): readonly TracedSpan[] {
    const found = new Map<string, FoundSpan<string>>();
    for (const { id, model, requestId, marks } of this.spans.values()) {
      if (model !== null) found.set(id, { id, model, requestId, parent: null, marks: [...marks] });
    }
    for (const raw of this.spans.values()) {
      const above = this.modelAbove(raw, found);
      const own = found.get(raw.id);
      // An execution, whose time stamps are its model's.
      if (own === undefined) above?.marks.push(...raw.marks);
      else if (above !== null) own.parent = above.id;
      // What was read and sent of the request is in the span above the first model.
      else own.marks.push(...(this.spans.get(raw.parent)?.marks ?? []));
    }
    return rootsOf(found.values(), this.file);
  }

  private modelAbove(
    { parent }: RawSpan,
    found: ReadonlyMap<string, FoundSpan<string>>,
  ): FoundSpan<string> | null {
    let above = parent;
    for (let step = 0; above !== '' && step < mostSteps; step += 1) {
      const model = found.get(above);
      if (model !== undefined) return model;
      above = this.spans.get(above)?.parent ?? '';
    }
    return null;
  }

  private addSpan(span: TraceRecord, where: string): void {
    const trace = textIn(span, 'traceId', 'trace_id');
    const id = textIn(span, 'spanId', 'span_id');
    if (id === '') throw traceProblem(where, 'A span has no "spanId"', remedy);
    const parent = textIn(span, 'parentSpanId', 'parent_span_id');
    const model = attributeOf(span, 'triton.model_name');
    const requestId = attributeOf(span, 'triton.request_id');
    const raw: RawSpan = {
      id: `${trace}/${id}`,
      parent: parent === '' ? '' : `${trace}/${parent}`,
      model: model === '' ? null : nameOf(model, where, 'attribute triton.model_name'),
      requestId: requestId === '' ? null : nameOf(requestId, where, 'attribute triton.request_id'),
      marks: listIn(span, 'events').flatMap((event) => this.markOf(event, where)),
    };
    this.spans.set(raw.id, raw);
    requireFew(this.spans.size, this.file);
  }

  private markOf(event: TraceRecord, where: string): readonly Mark[] {
    const name = textIn(event, 'name');
    if (!isTraceMark(name)) return [];
    const time = event['timeUnixNano'] ?? event['time_unix_nano'];
    if (!isDigits(time)) {
      throw traceProblem(where, `The event ${name} has no "timeUnixNano"`, remedy);
    }
    const ns = BigInt(time);
    this.firstNs ??= ns;
    return [{ name, atUs: Number(ns - this.firstNs) / 1000 }];
  }
}
