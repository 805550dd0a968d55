import { z } from 'zod';

/** Written by the toolkit in a client container, one per line; `main/toolkit` reads the same. */
const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), fraction: z.number().nullable(), text: z.string() }),
  z.object({ type: z.literal('fact'), name: z.string(), value: z.string() }),
  z.object({ type: z.literal('warning'), text: z.string() }),
  z.looseObject({ type: z.literal('result') }),
  z.object({ type: z.literal('error'), code: z.string(), message: z.string() }),
]);

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function toolkitLine(line: string): string {
  if (!line.startsWith('{"type"')) return line;
  const { data } = lineSchema.safeParse(parsed(line));
  if (data === undefined) return line;
  switch (data.type) {
    case 'progress': {
      const share =
        data.fraction === null ? '' : `${String(Math.round(data.fraction * 100)).padStart(3)} %  `;
      return `${share}${data.text}`;
    }
    case 'fact':
      return `${data.name}: ${data.value}`;
    case 'warning':
      return `WARNING: ${data.text}`;
    case 'error':
      return `ERROR: ${data.message} (${data.code})`;
    case 'result': {
      const fields = Object.entries(data).filter(([name]) => name !== 'type');
      return ['Result', ...fields.map(([name, value]) => `${name}: ${textOf(value)}`)].join('  ');
    }
  }
}
