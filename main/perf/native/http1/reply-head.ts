/** Of a reply over HTTP/1.1 or HTTP/2. */
export interface ReplyHead {
  readonly status: number;
  /** Media type in lower case, without parameters; '' if absent. */
  readonly type: string;
  readonly keepAlive: boolean;
  /** Bytes of JSON before raw tensors, in the body without its encoding; -1 if the reply is only JSON. */
  readonly jsonBytes: number;
  /** Content-Encoding in lower case; '' without one. */
  readonly encoding: string;
}

/** How the end of a body is known. */
type Framing = { readonly kind: 'chunks' | 'close' } | { readonly kind: 'length'; readonly bytes: number };

/** Binary tensor data extension: length of the JSON before raw tensors. */
export const jsonLengthHeader = 'Inference-Header-Content-Length';
const lowerJsonLengthHeader = jsonLengthHeader.toLowerCase();

/** Fields that matter, of one reply; names are in lower case. */
export class ReplyFields {
  type = '';
  encoding = '';
  connection = '';
  /** Absent or wrong: not a count. */
  length: string | null = null;
  chunked = false;
  private json: string | null = null;

  add(name: string, value: string): void {
    if (name === 'content-length') this.length = value;
    else if (name === lowerJsonLengthHeader) this.json = value;
    else if (name === 'content-type') this.type = value.split(';')[0]?.trim().toLowerCase() ?? '';
    else if (name === 'content-encoding') this.encoding = encodingOf(value);
    else if (name === 'connection') this.connection = value.toLowerCase();
    else if (name === 'transfer-encoding') this.chunked = value.toLowerCase().includes('chunked');
  }

  /** -1: absent. Throws an Error for anything but a count. */
  get bytes(): number {
    return countOf(this.length, 'Content-Length');
  }

  /** -1: absent. Throws an Error for anything but a count. */
  get jsonBytes(): number {
    return countOf(this.json, jsonLengthHeader);
  }
}

function countOf(text: string | null, name: string): number {
  if (text === null) return -1;
  const count = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(count)) throw new Error(`a reply with a wrong ${name}`);
  return count;
}

function encodingOf(value: string): string {
  const encoding = value.trim().toLowerCase();
  return encoding === 'identity' ? '' : encoding;
}

/** `head` without its empty line. Throws an Error for anything but HTTP/1.1. */
export function parseReplyHead(head: string): ReplyHead & { readonly framing: Framing } {
  const lines = head.split('\r\n');
  const [, version, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(lines[0] ?? '') ?? [];
  if (status === undefined) throw new Error('the server does not answer with HTTP/1.1');
  const fields = new ReplyFields();
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    fields.add(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const { type, encoding, connection, chunked, jsonBytes, bytes } = fields;
  const framing: Framing = chunked
    ? { kind: 'chunks' }
    : bytes < 0
      ? { kind: 'close' }
      : { kind: 'length', bytes };
  const keeps = version === '1' ? !connection.includes('close') : connection.includes('keep-alive');
  return {
    ...{ status: Number(status), type, jsonBytes, encoding, framing },
    keepAlive: keeps && framing.kind !== 'close',
  };
}
