import type { TracedSpan } from '../../domain/measured/slow/traced-span';
import { jsonRecords, type TraceRecord } from '../replay/trace-records';
import { traceProblem } from './found-spans';
import { OtlpSpans } from './otlp-spans';
import { TritonSpans } from './triton-spans';

const bothForms =
  'Give a trace file of Triton (--trace-config triton,file=FILE with level=TIMESTAMPS), or OTLP in JSON of its mode "opentelemetry".';

/** Requests of a trace file. Throws input-invalid with the line, and without anything of its content. */
export function tracedSpans(text: string, file: string): readonly TracedSpan[] {
  const [first = ''] = /\S/.exec(text.replace(/^\uFEFF/, '').slice(0, 4096)) ?? [];
  if (first !== '[' && first !== '{') {
    throw traceProblem(file, first === '' ? 'The file is empty' : 'The file is not JSON', bothForms);
  }
  const triton = new TritonSpans(file);
  const otlp = new OtlpSpans(file);
  for (const { value, line } of jsonRecords(text, file)) {
    const where = `${file}, line ${line}`;
    const record = typeof value === 'object' && value !== null ? (value as TraceRecord) : {};
    if (record['resourceSpans'] !== undefined || record['resource_spans'] !== undefined) {
      otlp.add(record, where);
    } else if (record['id'] === undefined) {
      throw traceProblem(where, 'The file is neither a trace of Triton nor OTLP', bothForms);
    } else triton.add(record, where);
  }
  return [...triton.roots(), ...otlp.roots()];
}
