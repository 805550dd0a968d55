import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Setting = 'trace_level' | 'trace_rate' | 'trace_count' | 'log_frequency';
type Values = Partial<Record<Setting, string | readonly string[] | null>>;
const names: readonly Setting[] = ['trace_level', 'trace_rate', 'trace_count', 'log_frequency'];

/** The trace settings of a Triton as tracer.cc keeps them: those of a model that are not its own follow the server's. */
export interface TracedTriton {
  readonly address: string;
  /** In the order of the calls: "GET m", "POST m". */
  readonly calls: readonly string[];
  /** What a model has of its own. */
  readonly own: (model: string) => Values;
  /** Requests that it traces and counts down. */
  trace(model: string, requests: number): void;
  close(): Promise<void>;
}

interface TracedTritonOptions {
  readonly server?: Values & { readonly trace_file?: string; readonly trace_mode?: string };
  readonly models?: Readonly<Record<string, Values>>;
  /** Called before each change is applied. */
  readonly onPost?: (model: string, change: Values) => void;
}

export async function startTracedTriton({
  server: given = {},
  models = {},
  onPost,
}: TracedTritonOptions = {}): Promise<TracedTriton> {
  const ofServer: Values & { trace_file?: string; trace_mode?: string } = {
    ...{ trace_level: ['OFF'], trace_rate: '1000', trace_count: '-1', log_frequency: '0' },
    ...{ trace_file: '/tmp/trace.json', trace_mode: 'triton' },
    ...given,
  };
  const own = new Map(Object.entries(models).map(([name, values]) => [name, { ...values }]));
  const calls: string[] = [];
  const shown = (model: string) => ({ ...ofServer, ...own.get(model) });
  const change = (model: string, values: Values): void => {
    onPost?.(model, values);
    const asked = names.filter((name) => values[name] !== undefined);
    const before = Object.entries(own.get(model) ?? {}).filter(([name]) => !asked.includes(name as Setting));
    const set = asked.flatMap((name) => (values[name] === null ? [] : [[name, values[name]] as const]));
    if (before.length + set.length === 0) own.delete(model);
    else own.set(model, Object.fromEntries([...before, ...set]) as Values);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const [, model = ''] = /^\/v2(?:\/models\/([^/]+))?\/trace\/setting$/.exec(request.url ?? '') ?? [];
      calls.push(`${request.method ?? ''} ${model}`.trim());
      if (request.method === 'POST') change(model, JSON.parse(Buffer.concat(chunks).toString()) as Values);
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(shown(model)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    calls,
    own: (model) => own.get(model) ?? {},
    trace: (model, requests) => {
      const values = own.get(model);
      const left = Number(values?.trace_count ?? 0);
      if (values !== undefined && left > 0) values.trace_count = String(Math.max(0, left - requests));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
